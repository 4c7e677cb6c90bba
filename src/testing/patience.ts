/**
 * Milliseconds that a machine which is busy with other things may take over the work of a case. The usual limits have cases of
 * their own.
 */
export const PATIENT = { connect: 120_000, answer: 120_000, transaction: 120_000 };
