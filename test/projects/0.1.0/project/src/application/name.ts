/** The name of the application, from which cookies, tokens and signals are named. A start needs it before it loads the application. */
export const name = 'library';
