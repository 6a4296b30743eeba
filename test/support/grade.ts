// The grade that the suite runs with: hosts inherit the variable.

export const isGroupGrade = process.env.PROCLEASH_GRADE === 'group'
