/** A small project for the tests of the workbench. */

export const openapi = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
tags:
  - { name: notes, description: What people wrote down. }
paths:
  /notes/{note_id}:
    parameters:
      - { name: note_id, in: path, required: true, schema: { type: integer } }
      - { name: version, in: query, schema: { type: string, enum: ['1'] } }
    get:
      operationId: getNote
      tags: [notes]
      summary: Get a note
      security: []
      x-permission: public
      responses:
        '200':
          description: The note.
          headers:
            ETag: { required: true, schema: { type: string } }
            X-Rate-Limit-Limit: { required: true, x-automatic: true, schema: { type: integer } }
          content:
            application/json: { schema: { $ref: '#/components/schemas/Note' } }
        '404':
          description: '\`NOT_FOUND\`. There is none.'
          content:
            application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } }
    put:
      operationId: putNote
      tags: [notes]
      security: [{ basic: [] }]
      x-permission: { action: notes.update, viewer: none, developer: own, admin: any }
      parameters:
        - { name: If-Match, in: header, schema: { type: string } }
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Note' } }
      responses:
        '201':
          description: Created.
          headers:
            Location: { required: true, schema: { type: string } }
        '204': { description: Replaced. }
components:
  securitySchemes:
    basic: { type: http, scheme: basic }
  schemas:
    Note:
      type: object
      required: [text]
      properties:
        text: { type: string, minLength: 1 }
        tags: { type: array, items: { type: string } }
      additionalProperties: false
    Problem:
      type: object
      required: [status]
      properties:
        status: { type: integer }
`;

export const schema = `directive @permission(action: String!, viewer: Access!, developer: Access!, admin: Access!) on FIELD_DEFINITION

enum Access { NONE OWN ANY }

type User {
  id: ID!
  name: String!
  createdAt: String!
}

type Deletion {
  success: Boolean!
}

type Query {
  user(id: ID!): User @permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)
}

type Mutation {
  deleteUser(id: ID!): Deletion @permission(action: "users.delete", viewer: NONE, developer: NONE, admin: ANY)
}
`;

/** The hand-written modules that generated modules import. */
export const sources = {
  'src/application/context.ts':
    'export interface Context { caller: string }\nexport interface GraphQLContext { caller: string }\n',
  'src/application/models.ts': `import { model, type Row, User as Account } from '@accord-api/platform';
export const User = Account;
export const Post = model('Post', { read: 'notes.read', owner: (caller) => ({ authorId: caller.id }) });
export const Ownerless = model('Post', { read: 'notes.read' });
export type User = Row<'User'>;
export type Comment = Row<'Comment'>;
export type Message = Row<'Message'>;
`,
  'src/application/routes.ts':
    "import { routeFor } from '@accord-api/platform';\nexport const route = routeFor<object>();\n",
};
