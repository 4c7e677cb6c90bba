/** What the application is called; by itself, for a start needs it before all that the application is made of. */
export const name = 'accord';
