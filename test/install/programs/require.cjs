// An ES module by require(), where the runtime has that.

const { run } = require('procleash')

run('echo', ['required']).then(({ stdout }) => process.stdout.write(stdout))
