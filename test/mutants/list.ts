import { database } from './database.js';
import { graphql } from './graphql.js';
import { rest } from './rest.js';
import { services } from './services.js';
import { sessions } from './sessions.js';

export const MUTANTS = [...services, ...sessions, ...rest, ...graphql, ...database];
