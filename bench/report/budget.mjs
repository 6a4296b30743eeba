// Without any import: the page needs it as well.

/** Milliseconds: how long a user who presses a key waits until nothing runs any more. */
export const BUDGET = 500
