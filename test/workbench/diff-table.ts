/**
 * Edits of the contracts in diff-cases.ts, with the changes of each edit and of its reversal. An edit replaces all occurrences.
 */
export interface Case {
  name: string;
  edit: [from: string, to: string][];
  forwards: string[];
  backwards: string[];
}

const of = (name: string, edit: Case['edit'], forwards: string[], backwards: string[]): Case => ({
  name,
  edit,
  forwards,
  backwards,
});

export const rest: Case[] = [
  of(
    'operation',
    [
      [
        `    delete:
      operationId: deleteNote
      tags: [notes]
      deprecated: true
      x-deprecation: { since: 2026-01-01, sunset: '2026-06-30', link: /docs }
      x-permission: public
      responses:
        '204': { description: Gone. }
`,
        '',
      ],
    ],
    ['safe deleteNote:removed'],
    ['safe deleteNote:added'],
  ),
  of(
    'operation sunset ahead',
    [["sunset: '2026-06-30'", "sunset: '2027-06-30'"]],
    ['safe deleteNote:sunset:later'],
    ['risky deleteNote:sunset:sooner'],
  ),
  of(
    'operationId',
    [['operationId: listNotes', 'operationId: getNotes']],
    ['breaking listNotes:operationId:changed'],
    ['breaking getNotes:operationId:changed'],
  ),
  of(
    'method',
    [['    delete:\n', '    put:\n']],
    ['breaking deleteNote:address:changed'],
    ['breaking deleteNote:address:changed'],
  ),
  of(
    'path',
    [['  /notes/{note_id}:', '  /remarks/{note_id}:']],
    ['breaking deleteNote:address:changed'],
    ['breaking deleteNote:address:changed'],
  ),
  of(
    'path parameter name',
    [
      ['/notes/{note_id}:', '/notes/{id}:'],
      ['{ name: note_id,', '{ name: id,'],
    ],
    ['safe deleteNote:parameter.path.id:name:renamed'],
    ['safe deleteNote:parameter.path.note_id:name:renamed'],
  ),
  of(
    'tag',
    [['operationId: deleteNote\n      tags: [notes]', 'operationId: deleteNote\n      tags: [old]']],
    ['risky deleteNote:tag:changed'],
    ['risky deleteNote:tag:changed'],
  ),
  of(
    'deprecated',
    [
      [
        `      deprecated: true
      x-deprecation: { since: 2026-01-01, sunset: '2026-06-30', link: /docs }
`,
        '',
      ],
    ],
    ['safe deleteNote:deprecated:removed'],
    ['safe deleteNote:deprecated:added'],
  ),
  of(
    'rate',
    [['      x-permission: public', '      x-permission: public\n      x-rate-limit: false']],
    ['safe deleteNote:counted:off'],
    ['risky deleteNote:counted:on'],
  ),
  of(
    'server',
    [['https://notes.example.com/v1', 'https://notes.example.com/v2']],
    ['breaking servers:https://notes.example.com/v1:removed', 'safe servers:https://notes.example.com/v2:added'],
    ['breaking servers:https://notes.example.com/v2:removed', 'safe servers:https://notes.example.com/v1:added'],
  ),
  of(
    'optional parameter',
    [
      [
        '        - { name: If-None',
        '        - { name: after, in: query, schema: { type: string } }\n        - { name: If-None',
      ],
    ],
    ['safe listNotes:parameter.query.after:added'],
    ['breaking listNotes:parameter.query.after:removed'],
  ),
  of(
    'required parameter',
    [
      [
        '        - { name: If-None',
        `        - { name: after, in: query, required: true, schema: { type: string } }
        - { name: If-None`,
      ],
    ],
    ['breaking listNotes:parameter.query.after:added'],
    ['breaking listNotes:parameter.query.after:removed'],
  ),
  of(
    'optional header',
    [['        - { name: If-None-Match, in: header, schema: { type: string } }\n', '']],
    ['risky listNotes:parameter.header.if-none-match:removed'],
    ['safe listNotes:parameter.header.if-none-match:added'],
  ),
  of(
    'parameter becomes required',
    [['name: limit, in: query,', 'name: limit, in: query, required: true,']],
    ['breaking listNotes:parameter.query.limit:required:required'],
    ['safe listNotes:parameter.query.limit:required:optional'],
  ),
  of(
    'parameter moves',
    [['name: limit, in: query', 'name: limit, in: header']],
    ['breaking listNotes:parameter.query.limit:removed', 'safe listNotes:parameter.header.limit:added'],
    ['risky listNotes:parameter.header.limit:removed', 'safe listNotes:parameter.query.limit:added'],
  ),
  of(
    'parameter maximum',
    [['maximum: 100', 'maximum: 50']],
    ['breaking listNotes:parameter.query.limit:maximum:lowered'],
    ['safe listNotes:parameter.query.limit:maximum:raised'],
  ),
  of(
    'parameter default',
    [['default: 20', 'default: 50']],
    ['risky listNotes:parameter.query.limit:default:changed'],
    ['risky listNotes:parameter.query.limit:default:changed'],
  ),
  of(
    'parameter without default',
    [[', default: 20', '']],
    ['risky listNotes:parameter.query.limit:default:removed'],
    ['safe listNotes:parameter.query.limit:default:added'],
  ),
  of(
    'parameter type',
    [['type: integer, maximum: 100', 'type: number, maximum: 100']],
    ['safe listNotes:parameter.query.limit:type:changed'],
    ['breaking listNotes:parameter.query.limit:type:changed'],
  ),
  of(
    'parameter explode, which says nothing of a number',
    [['name: limit, in: query,', 'name: limit, in: query, explode: false,']],
    [],
    [],
  ),
  of(
    'body becomes optional',
    [['        required: true\n        content', '        content']],
    ['safe createNote:request:required:optional'],
    ['breaking createNote:request:required:required'],
  ),
  of(
    'request member optional',
    [['                tag: {', '                more: { type: string }\n                tag: {']],
    ['safe createNote:request.body.more:added'],
    ['breaking createNote:request.body.more:removed'],
  ),
  of(
    'request member required',
    [
      ['                tag: {', '                more: { type: integer }\n                tag: {'],
      ['[text]\n', '[text, more]\n'],
    ],
    ['breaking createNote:request.body.more:added'],
    ['breaking createNote:request.body.more:removed'],
  ),
  of(
    'request member renamed',
    [['                tag: {', '                tags: {']],
    ['breaking createNote:request.body.tag:removed', 'safe createNote:request.body.tags:added'],
    ['breaking createNote:request.body.tags:removed', 'safe createNote:request.body.tag:added'],
  ),
  of(
    'request member of an open object',
    [['{ size: { type: integer } }', '{}']],
    ['risky createNote:request.body.extras.size:removed'],
    ['safe createNote:request.body.extras.size:added'],
  ),
  of(
    'request member needed',
    [['[text]\n', '[text, tag]\n']],
    ['breaking createNote:request.body.tag:required:required'],
    ['safe createNote:request.body.tag:required:optional'],
  ),
  of(
    'request maxLength',
    [['minLength: 1, maxLength: 500', 'minLength: 1, maxLength: 400']],
    ['breaking createNote:request.body.text:maxLength:lowered'],
    ['safe createNote:request.body.text:maxLength:raised'],
  ),
  of(
    'request minLength',
    [['minLength: 1, maxLength: 500', 'maxLength: 500']],
    ['safe createNote:request.body.text:minLength:removed'],
    ['breaking createNote:request.body.text:minLength:added'],
  ),
  of(
    'request pattern',
    [["pattern: '^a'", "pattern: '^b'"]],
    ['breaking createNote:request.body.tag:pattern:changed'],
    ['breaking createNote:request.body.tag:pattern:changed'],
  ),
  of(
    'request format',
    [[', format: email }\n                colour', ' }\n                colour']],
    ['safe createNote:request.body.tag:format:removed'],
    ['breaking createNote:request.body.tag:format:added'],
  ),
  of(
    'request nullable',
    [['tag: { type: string, pattern', "tag: { type: [string, 'null'], pattern"]],
    ['safe createNote:request.body.tag:type:nullable'],
    ['breaking createNote:request.body.tag:type:not-null'],
  ),
  of(
    'request type',
    [['size: { type: integer }', 'size: { type: string }']],
    ['breaking createNote:request.body.extras.size:type:changed'],
    ['breaking createNote:request.body.extras.size:type:changed'],
  ),
  of(
    'request closed',
    [['additionalProperties: false\n', 'additionalProperties: true\n']],
    ['safe createNote:request.body:additionalProperties:opened'],
    ['breaking createNote:request.body:additionalProperties:closed'],
  ),
  of(
    'request media',
    [
      [
        '        content:\n          application/json:\n            schema:',
        `        content:
          text/plain: { schema: { type: string } }
          application/json:
            schema:`,
      ],
    ],
    ['safe createNote:request.media.text/plain:added'],
    ['breaking createNote:request.media.text/plain:removed'],
  ),
  of(
    'enum of both',
    [['enum: [red, green]', 'enum: [red, green, blue]']],
    ['risky Colour:response:enum.blue:added', 'safe Colour:request:enum.blue:added'],
    ['breaking Colour:request:enum.blue:removed', 'safe Colour:response:enum.blue:removed'],
  ),
  of(
    'enum at all',
    [['{ type: string, enum: [red, green] }', '{ type: string }']],
    ['risky Colour:response:enum:removed', 'safe Colour:request:enum:removed'],
    ['breaking Colour:request:enum:added', 'safe Colour:response:enum:added'],
  ),
  of(
    'response member',
    [
      [
        '        id: { type: integer, maximum: 999 }',
        '        id: { type: integer, maximum: 999 }\n        date: { type: string }',
      ],
    ],
    ['safe Note:response.date:added'],
    ['breaking Note:response.date:removed'],
  ),
  of(
    'response member of a closed object',
    [['{ a: { type: string } }', '{ a: { type: string }, b: { type: string } }']],
    ['risky Note:response.sealed.b:added'],
    ['breaking Note:response.sealed.b:removed'],
  ),
  of(
    'response member renamed',
    [
      ['        text: { type: string, maxLength', '        body: { type: string, maxLength'],
      ['[id, text]', '[id, body]'],
    ],
    ['breaking Note:response.text:removed', 'safe Note:response.body:added'],
    ['breaking Note:response.body:removed', 'safe Note:response.text:added'],
  ),
  of(
    'response member optional',
    [['[id, text]', '[id]']],
    ['breaking Note:response.text:required:optional'],
    ['safe Note:response.text:required:required'],
  ),
  of(
    'response nullable',
    [['text: { type: string, maxLength', "text: { type: [string, 'null'], maxLength"]],
    ['breaking Note:response.text:type:nullable'],
    ['safe Note:response.text:type:not-null'],
  ),
  of(
    'response type',
    [['id: { type: integer', 'id: { type: string']],
    ['breaking Note:response.id:type:changed'],
    ['breaking Note:response.id:type:changed'],
  ),
  of(
    'response integer to number',
    [['id: { type: integer', 'id: { type: number']],
    ['breaking Note:response.id:type:changed'],
    ['safe Note:response.id:type:changed'],
  ),
  of(
    'response maximum',
    [['maximum: 999', 'maximum: 99']],
    ['safe Note:response.id:maximum:lowered'],
    ['risky Note:response.id:maximum:raised'],
  ),
  of(
    'response format',
    [[', maxLength: 500, format: email', ', maxLength: 500, format: uri']],
    ['breaking Note:response.text:format:changed'],
    ['breaking Note:response.text:format:changed'],
  ),
  of(
    'response without format',
    [[', maxLength: 500, format: email', ', maxLength: 500']],
    ['risky Note:response.text:format:removed'],
    ['safe Note:response.text:format:added'],
  ),
  of(
    'response alternative',
    [['{ type: string }] }', '{ type: string }, { type: integer }] }']],
    ['risky Note:response.about:oneOf.integer:added'],
    ['safe Note:response.about:oneOf.integer:removed'],
  ),
  of(
    'response becomes alternatives',
    [
      [
        "            application/json: { schema: { $ref: '#/components/schemas/Note' } }",
        "            application/json: { schema: { oneOf: [{ $ref: '#/components/schemas/Note' }, { $ref: '#/components/schemas/Person' }] } }",
      ],
    ],
    ['risky createNote:response.201.body:oneOf.Person:added'],
    ['safe createNote:response.201.body:oneOf.Person:removed'],
  ),
  of(
    'write only',
    [['secret: { type: string, writeOnly: true }', 'secret: { type: string }']],
    ['safe Note:response.secret:added'],
    ['breaking Note:response.secret:removed'],
  ),
  of(
    'response media',
    [
      [
        `            application/notes+json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } }
`,
        '',
      ],
    ],
    ['breaking listNotes:response.200.media.application/notes+json:removed'],
    ['safe listNotes:response.200.media.application/notes+json:added'],
  ),
  of(
    'required header',
    [['            ETag: { required: true, schema: { type: string } }\n', '']],
    ['breaking listNotes:response.200.header.etag:removed'],
    ['safe listNotes:response.200.header.etag:added'],
  ),
  of(
    'optional response header',
    [['            Link: { schema: { type: string } }\n', '']],
    ['risky listNotes:response.200.header.link:removed'],
    ['safe listNotes:response.200.header.link:added'],
  ),
  of(
    'header becomes optional',
    [['ETag: { required: true, ', 'ETag: { ']],
    ['breaking listNotes:response.200.header.etag:required:optional'],
    ['safe listNotes:response.200.header.etag:required:required'],
  ),
  of(
    'success status',
    [["        '201':", "        '202':"]],
    ['breaking createNote:response.201:removed', 'risky createNote:response.202:added'],
    ['breaking createNote:response.202:removed', 'risky createNote:response.201:added'],
  ),
  of(
    'failure status',
    [["        '404': { description: None. }\n", '']],
    ['safe listNotes:response.404:removed'],
    ['safe listNotes:response.404:added'],
  ),
  of(
    'permission of a role',
    [['notes.list, viewer: own', 'notes.list, viewer: none']],
    ['breaking listNotes:permission:narrowed'],
    ['risky listNotes:permission:widened'],
  ),
  of(
    'permission crosswise',
    [['viewer: own, developer: any', 'viewer: any, developer: own']],
    ['breaking listNotes:permission:narrowed'],
    ['breaking listNotes:permission:narrowed'],
  ),
  of(
    'public',
    [['x-permission: public', 'x-permission: { action: notes.delete, viewer: any, developer: any, admin: any }']],
    ['breaking deleteNote:permission:narrowed'],
    ['risky deleteNote:permission:widened'],
  ),
  of(
    'action',
    [['action: notes.list', 'action: notes.read']],
    ['risky listNotes:permission:action'],
    ['risky listNotes:permission:action'],
  ),
  of(
    'further permission',
    [
      [
        '      x-permission: public',
        `      x-permission: public
      x-permission-also: [{ action: notes.wipe, viewer: none, developer: any, admin: any, when: it is large }]`,
      ],
    ],
    ['breaking deleteNote:permission.notes.wipe:narrowed'],
    ['risky deleteNote:permission.notes.wipe:widened'],
  ),
  of(
    'security',
    [['security: [{ basic: [] }, { token: [] }]', 'security: [{ basic: [] }]']],
    ['breaking createNote:security.token:removed'],
    ['safe createNote:security.token:added'],
  ),
  of(
    'anonymous',
    [['security: [{ basic: [] }, { token: [] }]', 'security: [{ basic: [] }, { token: [] }, {}]']],
    ['risky createNote:security.anonymous:added'],
    ['breaking createNote:security.anonymous:removed'],
  ),
  of(
    'scheme',
    [
      ['security: [{ basic: [] }, { token: [] }]', 'security: [{ basic: [] }]'],
      ['    token: { type: http, scheme: bearer }\n', ''],
    ],
    ['breaking security:token:removed'],
    ['safe createNote:security.token:added', 'safe security:token:added'],
  ),
  of(
    'scheme changes',
    [['token: { type: http, scheme: bearer }', 'token: { type: apiKey, in: header, name: X-Token }']],
    ['breaking security:token:changed'],
    ['breaking security:token:changed'],
  ),
  of(
    'schema name',
    [
      ['    Person:', '    Human:'],
      ['schemas/Person', 'schemas/Human'],
    ],
    ['risky Person:schema:removed', 'safe Human:schema:added'],
    ['risky Human:schema:removed', 'safe Person:schema:added'],
  ),
  of(
    'words only',
    [
      ['title: Notes', 'title: My notes'],
      ['description: Gone.', 'description: It is gone.'],
    ],
    [],
    [],
  ),
];

export const graphql: Case[] = [
  of('field', [['  nick: String\n', '']], ['breaking Person.nick:removed'], ['safe Person.nick:added']),
  of(
    'field renamed',
    [['  nick: String\n', '  nickname: String\n']],
    ['breaking Person.nick:removed', 'safe Person.nickname:added'],
    ['breaking Person.nickname:removed', 'safe Person.nick:added'],
  ),
  of(
    'deprecated field after its date',
    [['  old: Int @deprecated(reason: "Use id, until 2026-06-30.")\n', '']],
    ['safe Person.old:removed'],
    ['safe Person.old:added'],
  ),
  of(
    'deprecation',
    [['  nick: String\n', '  nick: String @deprecated(reason: "Use name.")\n']],
    ['safe Person.nick:deprecated'],
    ['safe Person.nick:undeprecated'],
  ),
  of(
    'output nullable',
    [['  text: String!\n  colour: Colour\n}\nunion', '  text: String\n  colour: Colour\n}\nunion']],
    ['breaking Note.text:type'],
    ['safe Note.text:type'],
  ),
  of(
    'output type',
    [['  nick: String\n', '  nick: Int\n']],
    ['breaking Person.nick:type'],
    ['breaking Person.nick:type'],
  ),
  of(
    'output list',
    [['  nick: String\n', '  nick: [String!]\n']],
    ['breaking Person.nick:type'],
    ['breaking Person.nick:type'],
  ),
  of(
    'optional argument',
    [['find(text: String!)', 'find(text: String!, first: Int)']],
    ['safe Query.find.first:added'],
    ['breaking Query.find.first:removed'],
  ),
  of(
    'required argument',
    [['find(text: String!)', 'find(text: String!, first: Int!)']],
    ['breaking Query.find.first:added'],
    ['breaking Query.find.first:removed'],
  ),
  of(
    'argument nullable',
    [['find(text: String!)', 'find(text: String)']],
    ['safe Query.find.text:type'],
    ['breaking Query.find.text:type'],
  ),
  of(
    'argument default',
    [['limit: Int = 20', 'limit: Int = 50']],
    ['risky Query.notes.limit:default'],
    ['risky Query.notes.limit:default'],
  ),
  of(
    'argument without default',
    [['limit: Int = 20', 'limit: Int']],
    ['risky Query.notes.limit:default'],
    ['safe Query.notes.limit:default'],
  ),
  of(
    'required argument without default',
    [['find(text: String!)', 'find(text: String! = "x")']],
    ['safe Query.find.text:default'],
    ['breaking Query.find.text:default'],
  ),
  of(
    'argument constraint',
    [['@constraint(max: 100)', '@constraint(max: 50)']],
    ['breaking Query.notes.limit:max:lowered'],
    ['safe Query.notes.limit:max:raised'],
  ),
  of(
    'argument constraint at all',
    [[' @constraint(max: 100)', '']],
    ['safe Query.notes.limit:max:removed'],
    ['breaking Query.notes.limit:max:added'],
  ),
  of(
    'input field optional',
    [['  tag: String\n', '  tag: String\n  more: Int\n']],
    ['safe NoteInput.more:added'],
    ['breaking NoteInput.more:removed'],
  ),
  of(
    'input field required',
    [['  tag: String\n', '  tag: String\n  more: Int!\n']],
    ['breaking NoteInput.more:added'],
    ['breaking NoteInput.more:removed'],
  ),
  of(
    'input field renamed',
    [['  tag: String\n', '  tags: String\n']],
    ['breaking NoteInput.tag:removed', 'safe NoteInput.tags:added'],
    ['breaking NoteInput.tags:removed', 'safe NoteInput.tag:added'],
  ),
  of(
    'input field nullable',
    [['  text: String! @constraint(maxLength: 500)', '  text: String @constraint(maxLength: 500)']],
    ['safe NoteInput.text:type'],
    ['breaking NoteInput.text:type'],
  ),
  of(
    'input constraint',
    [['maxLength: 500', 'maxLength: 400']],
    ['breaking NoteInput.text:maxLength:lowered'],
    ['safe NoteInput.text:maxLength:raised'],
  ),
  of(
    'input default',
    [['Colour = RED', 'Colour = GREEN']],
    ['risky NoteInput.colour:default'],
    ['risky NoteInput.colour:default'],
  ),
  of(
    'enum of both',
    [['{ RED GREEN }', '{ RED GREEN BLUE }']],
    ['risky Colour.BLUE:added'],
    ['breaking Colour.BLUE:removed'],
  ),
  of(
    'enum of answers',
    [['{ BIG SMALL }', '{ BIG SMALL TINY }']],
    ['risky Kind.TINY:added'],
    ['safe Kind.TINY:removed'],
  ),
  of(
    'enum of arguments',
    [['{ ASC DESC }', '{ ASC DESC RANDOM }']],
    ['safe Order.RANDOM:added'],
    ['breaking Order.RANDOM:removed'],
  ),
  of(
    'enum of directives',
    [['{ NONE OWN ANY }', '{ NONE OWN ANY TEAM }']],
    ['safe Access.TEAM:added'],
    ['safe Access.TEAM:removed'],
  ),
  of(
    'union',
    [['union Found = Person | Note', 'union Found = Person']],
    ['breaking Found.Note:removed'],
    ['risky Found.Note:added'],
  ),
  of(
    'interface',
    [['type Person implements Named', 'type Person']],
    ['breaking Person.Named:removed'],
    ['risky Person.Named:added'],
  ),
  of(
    'type',
    [
      [
        'type Query {',
        `type Thing { id: ID! }
type Query {
  thing: Thing @permission(action: "t", viewer: ANY, developer: ANY, admin: ANY)`,
      ],
    ],
    ['safe Thing:added', 'safe Query.thing:added'],
    ['breaking Thing:removed', 'breaking Query.thing:removed'],
  ),
  of(
    'unused type',
    [['type Query {', 'type Thing { id: ID! }\ntype Query {']],
    ['safe Thing:added'],
    ['safe Thing:removed'],
  ),
  of(
    'kind of a type',
    [['enum Kind { BIG SMALL }', 'scalar Kind']],
    ['breaking Kind:changed'],
    ['breaking Kind:changed'],
  ),
  of(
    'permission of a role',
    [['"notes.list", viewer: OWN', '"notes.list", viewer: NONE']],
    ['breaking Query.notes:permission:narrowed'],
    ['risky Query.notes:permission:widened'],
  ),
  of(
    'further permission',
    [
      [
        '"notes.find", viewer: ANY, developer: ANY, admin: ANY)',
        '"notes.find", viewer: ANY, developer: ANY, admin: ANY) @permission(action: "notes.all", viewer: NONE, developer: NONE, admin: ANY, when: "all")',
      ],
    ],
    ['breaking Query.find:permission.notes.all:narrowed'],
    ['risky Query.find:permission.notes.all:widened'],
  ),
  of(
    'action',
    [['"notes.find"', '"notes.look"']],
    ['risky Query.find:permission:action'],
    ['risky Query.find:permission:action'],
  ),
  of(
    'directive of queries',
    [['directive @live(rate: Int) on QUERY\n', '']],
    ['breaking @live:removed'],
    ['safe @live:added'],
  ),
  of(
    'place of a directive, and an argument of it',
    [['@live(rate: Int) on QUERY', '@live on FIELD']],
    ['breaking @live.QUERY:removed', 'breaking @live.rate:removed', 'safe @live.FIELD:added'],
    ['breaking @live.FIELD:removed', 'safe @live.QUERY:added', 'safe @live.rate:added'],
  ),
  of(
    'deprecation sooner',
    [['until 2026-06-30', 'until 2026-03-30']],
    ['risky Person.old:changed'],
    ['safe Person.old:changed'],
  ),
  of(
    'condition of a permission',
    [['"notes.list", viewer: OWN,', '"notes.list", when: "late", viewer: OWN,']],
    ['risky Query.notes:permission:condition'],
    ['breaking Query.notes:permission:condition'],
  ),
  of('directive of the schema', [['pattern: String) on', 'pattern: String, odd: Boolean) on']], [], []),
  of('words only', [['type Note {', '"What was noted."\ntype Note {']], [], []),
];

export const database: Case[] = [
  of(
    'table',
    [['enum Colour', 'model Extra {\n  id Int @id\n}\n\nenum Colour']],
    ['safe Extra:added'],
    ['breaking Extra:removed'],
  ),
  of(
    'table renamed',
    [['@@map("notes")', '@@map("remarks")']],
    ['breaking notes:removed', 'safe remarks:added'],
    ['breaking remarks:removed', 'safe notes:added'],
  ),
  of(
    'model renamed, not its table',
    [
      ['model Note {', 'model Remark {'],
      ['Note[]', 'Remark[]'],
    ],
    [],
    [],
  ),
  of('column', [['  size    Int     @default(1)\n', '']], ['breaking notes.size:removed'], ['safe notes.size:added']),
  of(
    'column required',
    [['  size    Int     @default(1)\n', '  size    Int     @default(1)\n  rank    Int\n']],
    ['breaking notes.rank:added'],
    ['breaking notes.rank:removed'],
  ),
  of(
    'column renamed',
    [['@map("tag_name")', '@map("tag")']],
    ['breaking notes.tag_name:removed', 'safe notes.tag:added'],
    ['breaking notes.tag:removed', 'safe notes.tag_name:added'],
  ),
  of('field renamed, not its column', [['  tag     String? @map', '  label   String? @map']], [], []),
  of(
    'column nullable',
    [['String? @map', 'String @map']],
    ['breaking notes.tag_name:nullable:required'],
    ['risky notes.tag_name:nullable:optional'],
  ),
  of(
    'column type',
    [['size    Int ', 'size    BigInt ']],
    ['breaking notes.size:columnType:changed'],
    ['breaking notes.size:columnType:changed'],
  ),
  of(
    'native type',
    [['text    String ', 'text    String @db.VarChar(9) ']],
    ['breaking notes.text:columnType:changed'],
    ['safe notes.text:columnType:changed'],
  ),
  of(
    'unique',
    [['email String @unique', 'email String']],
    ['risky Person.email:unique:removed'],
    ['breaking Person.email:unique:added'],
  ),
  of(
    'default',
    [['@default(1)', '@default(2)']],
    ['risky notes.size:columnDefault:changed'],
    ['risky notes.size:columnDefault:changed'],
  ),
  of(
    'default at all',
    [['@default(1)', '']],
    ['risky notes.size:columnDefault:removed'],
    ['safe notes.size:columnDefault:added'],
  ),
  of(
    'key',
    [
      ['  id      Int     @id', '  id      Int     @unique'],
      ['  @@index', '  @@id([id, ownerId])\n  @@index'],
    ],
    ['breaking notes.id:key:removed', 'breaking notes.id:unique:added', 'breaking notes:id(id,ownerId):added'],
    ['breaking notes.id:key:added', 'breaking notes:id(id,ownerId):removed', 'risky notes.id:unique:removed'],
  ),
  of(
    'index',
    [['  @@index([ownerId])\n', '']],
    ['risky notes:index(ownerId):removed'],
    ['safe notes:index(ownerId):added'],
  ),
  of(
    'unique of two',
    [['  @@index', '  @@unique([ownerId, text])\n  @@index']],
    ['breaking notes:unique(ownerId,text):added'],
    ['risky notes:unique(ownerId,text):removed'],
  ),
  of(
    'relation',
    [['onDelete: Cascade', 'onDelete: Restrict']],
    ['risky notes.ownerId:relation:changed'],
    ['risky notes.ownerId:relation:changed'],
  ),
  of('enum value', [['  GREEN\n', '  GREEN\n  BLUE\n']], ['risky Colour.BLUE:added'], ['breaking Colour.BLUE:removed']),
  of(
    'enum',
    [['enum Colour', 'enum Shade {\n  DARK\n}\n\nenum Colour']],
    ['safe Shade:added'],
    ['breaking Shade:removed'],
  ),
  of('comment', [['// said "so"', '// said // nothing']], [], []),
];
