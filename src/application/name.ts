/** The application's name, in a file of its own because a start reads it before it loads the application. */
export const name = 'accord';
