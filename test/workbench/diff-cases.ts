/** Small contracts for comparisons. */

export const openapi = `openapi: 3.1.0
info: { title: Notes, version: 1.2.3 }
servers:
  - url: https://notes.example.com/v1
security: [{ basic: [] }]
tags:
  - { name: notes, description: Notes. }
  - { name: old, description: Elsewhere. }
paths:
  /notes:
    get:
      operationId: listNotes
      tags: [notes]
      x-permission: { action: notes.list, viewer: own, developer: any, admin: any }
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 100, default: 20 } }
        - { name: If-None-Match, in: header, schema: { type: string } }
      responses:
        '200':
          description: Notes.
          headers:
            ETag: { required: true, schema: { type: string } }
            Link: { schema: { type: string } }
          content:
            application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } }
            application/notes+json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } }
        '404': { description: None. }
    post:
      operationId: createNote
      tags: [notes]
      security: [{ basic: [] }, { token: [] }]
      x-permission: { action: notes.create, viewer: none, developer: own, admin: any }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              additionalProperties: false
              required: [text]
              properties:
                text: { type: string, minLength: 1, maxLength: 500 }
                tag: { type: string, pattern: '^a', format: email }
                colour: { $ref: '#/components/schemas/Colour' }
                extras: { type: object, properties: { size: { type: integer } } }
      responses:
        '201':
          description: Created.
          content:
            application/json: { schema: { $ref: '#/components/schemas/Note' } }
  /notes/{note_id}:
    parameters:
      - { name: note_id, in: path, required: true, schema: { type: integer } }
    delete:
      operationId: deleteNote
      tags: [notes]
      deprecated: true
      x-deprecation: { since: 2026-01-01, sunset: '2026-06-30', link: /docs }
      x-permission: public
      responses:
        '204': { description: Gone. }
components:
  securitySchemes:
    basic: { type: http, scheme: basic }
    token: { type: http, scheme: bearer }
  schemas:
    Colour: { type: string, enum: [red, green] }
    Note:
      type: object
      required: [id, text]
      properties:
        id: { type: integer, maximum: 999 }
        text: { type: string, maxLength: 500, format: email }
        about: { oneOf: [{ $ref: '#/components/schemas/Person' }, { type: string }] }
        colour: { $ref: '#/components/schemas/Colour' }
        secret: { type: string, writeOnly: true }
        sealed: { type: object, additionalProperties: false, properties: { a: { type: string } } }
    Person:
      type: object
      properties:
        name: { type: string }
`;

export const schema = `directive @permission(action: String!, viewer: Access!, developer: Access!, admin: Access!, when: String) repeatable on FIELD_DEFINITION
directive @constraint(min: Int, max: Int, maxLength: Int, pattern: String) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
directive @live(rate: Int) on QUERY
enum Access { NONE OWN ANY }
enum Colour { RED GREEN }
enum Kind { BIG SMALL }
enum Order { ASC DESC }
interface Named { name: String! }
type Person implements Named {
  id: ID!
  name: String!
  nick: String
  kind: Kind
  old: Int @deprecated(reason: "Use id, until 2026-06-30.")
}
type Note {
  id: ID!
  text: String!
  colour: Colour
}
union Found = Person | Note
input NoteInput {
  text: String! @constraint(maxLength: 500)
  colour: Colour = RED
  tag: String
}
type Query {
  notes(limit: Int = 20 @constraint(max: 100), order: Order): [Note!] @permission(action: "notes.list", viewer: OWN, developer: ANY, admin: ANY)
  find(text: String!): [Found!] @permission(action: "notes.find", viewer: ANY, developer: ANY, admin: ANY)
}
type Mutation {
  createNote(input: NoteInput!): Note @permission(action: "notes.create", viewer: NONE, developer: OWN, admin: ANY)
}
`;

export const prisma = `datasource db { 
  provider = "postgresql"
}

enum Colour {
  RED
  GREEN
}

model Note {
  id      Int     @id @default(autoincrement())
  text    String // said "so"
  tag     String? @map("tag_name")
  size    Int     @default(1)
  colour  Colour
  owner   Person  @relation(fields: [ownerId], references: [id], onDelete: Cascade)
  ownerId Int     @map("owner_id")

  @@index([ownerId])
  @@map("notes")
}

model Person {
  id    Int    @id
  email String @unique
  notes Note[]
}
`;
