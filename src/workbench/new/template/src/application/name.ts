/** What the application is called: names its tokens and signals. By itself, for a start needs it before all else. */
export const name = 'my-api';
