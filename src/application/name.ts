/** In a file of its own, because a start reads the name before it loads the application. */
export const name = 'accord';
