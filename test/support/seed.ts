/** What draws go by: the same each time, so that a change and not chance turns a case red. PROPERTY_SEED takes another. */
export const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
