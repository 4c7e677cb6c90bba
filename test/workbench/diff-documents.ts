import type { Worst } from './diff-schemas.js';

/** A foreign contract with most members of OpenAPI documents. */
export const SHOP = `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
servers:
  - url: https://{region}.shop.test/{stage}
    variables:
      region: { default: eu, enum: [eu, us] }
      stage: { default: live }
security: [{ key: [] }]
tags: [{ name: articles }, { name: orders }]
paths:
  /articles:
    get:
      operationId: list
      tags: [articles]
      parameters:
        - { name: ids, in: query, schema: { type: array, items: { type: integer } } }
        - { name: filter, in: query, content: { application/json: { schema: { type: object, properties: { a: { type: string } } } } } }
        - { name: X-Trace, in: header, required: true, schema: { type: string } }
        - { name: session, in: cookie, schema: { type: string } }
      responses:
        '200':
          description: Articles.
          headers: { X-Total: { required: true, schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Article' } } } }
          links: { next: { operationId: list } }
        default: { description: A failure., content: { application/json: { schema: { $ref: '#/components/schemas/Failure' } } } }
  /articles/{id}/photos/{photo}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
      - { name: photo, in: path, required: true, schema: { type: string } }
    get:
      operationId: photo
      tags: [articles]
      security: [{ oauth: [read, write] }, { key: [], oauth: [read] }]
      responses:
        '200': { description: It., content: { image/png: { schema: { type: string, contentEncoding: base64 } } } }
        '404': { description: None. }
  /orders:
    post:
      operationId: order
      tags: [orders]
      security: [{}, { key: [] }]
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Article' } }
          multipart/form-data: { schema: { type: object, properties: { file: { type: string } } }, encoding: { file: { contentType: image/png } } }
      responses:
        '201': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Article' } } } }
        '4XX': { description: A failure. }
      callbacks:
        paid:
          '{$request.body#/url}':
            post:
              requestBody: { content: { application/json: { schema: { type: object, required: [sum], properties: { sum: { type: integer } } } } } }
              responses: { '200': { description: Taken. } }
webhooks:
  sold:
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Sale' } } } }
      responses: { '200': { description: Taken., content: { application/json: { schema: { type: object, properties: { seen: { type: boolean } } } } } } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    oauth:
      type: oauth2
      flows:
        clientCredentials: { tokenUrl: https://auth.test/token, scopes: { read: Reads., write: Writes. } }
    later: { type: http, scheme: bearer, bearerFormat: JWT }
  schemas:
    Article: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Failure: { type: object, properties: { message: { type: string } } }
    Sale: { type: object, required: [id], properties: { id: { type: integer }, note: { type: string } } }
    Unused: { type: object, properties: { x: { type: string } } }
`;

/** Edits of the contract with the worst change; the last column is for the reverted edit. */
export type DocumentCase = [name: string, edits: [from: string, to: string][], forwards: Worst, backwards: Worst];

const NAMED = '/articles/{id}/photos/{photo}';

export const documentCases: DocumentCase[] = [
  // Security.
  ['scopes in another order', [['oauth: [read, write]', 'oauth: [write, read]']], 'nothing', 'nothing'],
  [
    'requirements in another order',
    [
      [
        '[{ oauth: [read, write] }, { key: [], oauth: [read] }]',
        '[{ oauth: [read], key: [] }, { oauth: [write, read] }]',
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'a scheme has another name, and its header another case',
    [
      ['key: []', 'code: []'],
      ['key: { type: apiKey, in: header, name: X-Key }', 'code: { type: apiKey, in: header, name: x-key }'],
    ],
    'safe',
    'safe',
  ],
  ['a scope less asked for', [['oauth: [read, write]', 'oauth: [read]']], 'safe', 'breaking'],
  ['security of the document', [['security: [{ key: [] }]', 'security: []']], 'risky', 'breaking'],
  ['what need not be proved', [['security: [{}, { key: [] }]', 'security: [{}]']], 'risky', 'safe'],
  ['security of one operation', [['security: [{}, { key: [] }]', 'security: [{ key: [] }]']], 'breaking', 'risky'],
  [
    'security said once and of each',
    [
      ['      security: [{}, { key: [] }]\n', ''],
      ['security: [{ key: [] }]', 'security: [{}, { key: [] }]'],
      ['operationId: list\n', 'operationId: list\n      security: [{ key: [] }]\n'],
    ],
    'nothing',
    'nothing',
  ],
  [
    'a requirement that is met anyway',
    [['security: [{ key: [] }]\n', 'security: [{ key: [] }, { key: [], oauth: [read] }]\n']],
    'nothing',
    'nothing',
  ],
  [
    'a further requirement',
    [['security: [{ key: [] }]\n', 'security: [{ key: [] }, { oauth: [read] }]\n']],
    'safe',
    'breaking',
  ],
  [
    'schemes that must be met together',
    [['security: [{ key: [] }]\n', 'security: [{ key: [], oauth: [read] }]\n']],
    'breaking',
    'safe',
  ],
  [
    'a scheme has another name',
    [
      ['{ key: [] }', '{ token: [] }'],
      ['key: [], oauth', 'token: [], oauth'],
      ['    key: {', '    token: {'],
    ],
    'safe',
    'safe',
  ],
  ['the header of a key', [['name: X-Key', 'name: X-Api-Key']], 'breaking', 'breaking'],
  ['the form of a token', [['bearerFormat: JWT', 'bearerFormat: opaque']], 'safe', 'safe'],
  ['a scheme in capitals', [['scheme: bearer', 'scheme: Bearer']], 'nothing', 'nothing'],
  ['where tokens are got', [['https://auth.test/token', 'https://id.test/token']], 'breaking', 'breaking'],
  ['a scope less issued', [['{ read: Reads., write: Writes. }', '{ read: Reads. }']], 'breaking', 'safe'],
  ['what a scope is said to be', [['read: Reads.', 'read: Reads it.']], 'nothing', 'nothing'],
  ['an extension of a scheme', [['bearerFormat: JWT', 'bearerFormat: JWT, x-issuer: us']], 'safe', 'safe'],
  // Servers.
  ["a server variable's default", [['default: eu', 'default: us']], 'risky', 'risky'],
  ["a server variable's value", [['enum: [eu, us]', 'enum: [eu, us, ap]']], 'safe', 'breaking'],
  ['a server in another place', [['servers:\n', 'servers:\n  - { url: https://shop.test }\n']], 'safe', 'breaking'],
  ['a slash at the end of a server', [['shop.test/{stage}', 'shop.test/{stage}/']], 'nothing', 'nothing'],
  [
    'a slash at the end of a server, and a value less of a variable',
    [
      ['shop.test/{stage}', 'shop.test/{stage}/'],
      ['enum: [eu, us]', 'enum: [eu]'],
    ],
    'breaking',
    'safe',
  ],
  [
    'a server of one operation',
    [['      operationId: photo', '      servers: [{ url: https://photos.test }]\n      operationId: photo']],
    'breaking',
    'breaking',
  ],
  // Serialization.
  [
    'explode of one value',
    [['name: session, in: cookie,', 'name: session, in: cookie, explode: false,']],
    'nothing',
    'nothing',
  ],
  [
    'explode of a list in a path',
    [['name: id, in: path,', 'name: id, in: path, explode: true,']],
    'nothing',
    'nothing',
  ],
  [
    'reserved characters',
    [['name: ids, in: query,', 'name: ids, in: query, allowReserved: true,']],
    'safe',
    'breaking',
  ],
  ['an empty value', [['name: ids, in: query,', 'name: ids, in: query, allowEmptyValue: true,']], 'safe', 'breaking'],
  [
    'any text in place of a number',
    [
      [
        'name: id, in: path, required: true, schema: { type: integer }',
        'name: id, in: path, required: true, schema: { type: string }',
      ],
    ],
    'safe',
    'breaking',
  ],
  [
    'some text in place of a number',
    [
      [
        'name: id, in: path, required: true, schema: { type: integer }',
        'name: id, in: path, required: true, schema: { type: string, maxLength: 9 }',
      ],
    ],
    'breaking',
    'breaking',
  ],
  ['any image as a part', [['contentType: image/png', 'contentType: image/*']], 'safe', 'breaking'],
  [
    'one image more as a part',
    [['contentType: image/png', "contentType: 'image/jpeg, image/png'"]],
    'safe',
    'breaking',
  ],
  [
    'a part that must have a header',
    [
      [
        'contentType: image/png',
        'contentType: image/png, headers: { X-Sum: { required: true, schema: { type: string } } }',
      ],
    ],
    'breaking',
    'risky',
  ],
  // Addresses.
  ['a host in another case', [['.shop.test/', '.Shop.test:443/']], 'nothing', 'nothing'],
  [
    'a server of one operation, which is that of all',
    [
      [
        '      operationId: photo',
        "      servers: [{ url: 'https://{region}.shop.test/{stage}', variables: { region: { default: eu, enum: [eu, us] }, stage: { default: live } } }]\n      operationId: photo",
      ],
    ],
    'nothing',
    'nothing',
  ],
  // Paths and operations.
  [
    'a path parameter has another name',
    [
      [NAMED, '/articles/{article}/photos/{photo}'],
      ['name: id, in: path', 'name: article, in: path'],
    ],
    'safe',
    'safe',
  ],
  [
    'the one value of a variable, written out',
    [
      ['      stage: { default: live }\n', ''],
      ['shop.test/{stage}', 'shop.test/live'],
    ],
    'breaking',
    'breaking',
  ],
  [
    'any value of a variable',
    [['region: { default: eu, enum: [eu, us] }', 'region: { default: eu }']],
    'safe',
    'breaking',
  ],
  ['a value of a variable', [['enum: [eu, us]', 'enum: [eu]']], 'breaking', 'safe'],
  [
    'a parameter in a media type',
    [
      [
        'name: ids, in: query, schema: { type: array, items: { type: integer } }',
        'name: ids, in: query, content: { application/json: { schema: { type: array, items: { type: integer } } } }',
      ],
    ],
    'breaking',
    'breaking',
  ],
  ['path parameters change places', [[NAMED, '/articles/{photo}/photos/{id}']], 'breaking', 'breaking'],
  [
    'parameters of the path said by its operation',
    [
      ['    parameters:\n      - { name: id', '    x: 1\n    parameters:\n      - { name: id'],
      ['    x: 1\n', ''],
    ],
    'nothing',
    'nothing',
  ],
  ['another path', [['  /orders:', '  /purchases:']], 'breaking', 'breaking'],
  ['an operation has another id', [['operationId: photo', 'operationId: getPhoto']], 'breaking', 'breaking'],
  ['an operation gets an id', [['      operationId: order\n', '']], 'breaking', 'safe'],
  [
    'an operation',
    [['  /orders:', '  /more: { get: { operationId: more, responses: { "200": { description: It. } } } }\n  /orders:']],
    'safe',
    'breaking',
  ],
  ['a tag', [['tags: [orders]', 'tags: [articles]']], 'risky', 'risky'],
  ['what tags are said to be', [['{ name: orders }', '{ name: orders, description: Orders. }']], 'nothing', 'nothing'],
  [
    'words of an operation',
    [['operationId: photo', 'summary: A photo\n      description: It.\n      operationId: photo']],
    'nothing',
    'nothing',
  ],
  [
    'an extension of an operation',
    [['operationId: photo', 'x-team: photos\n      operationId: photo']],
    'safe',
    'safe',
  ],
  // Parameters.
  [
    'stated defaults of style and explode',
    [
      ['name: ids, in: query,', 'name: ids, in: query, style: form, explode: true, allowReserved: false,'],
      ['name: session, in: cookie,', 'name: session, in: cookie, style: form,'],
      ['name: id, in: path,', 'name: id, in: path, style: simple, explode: false,'],
      ['X-Total: { required: true,', 'X-Total: { required: true, style: simple, explode: false,'],
      ['name: X-Trace, in: header,', 'name: X-Trace, in: header, style: simple,'],
    ],
    'nothing',
    'nothing',
  ],
  [
    'how a list is written',
    [['name: ids, in: query,', 'name: ids, in: query, explode: false,']],
    'breaking',
    'breaking',
  ],
  [
    'another style',
    [['name: ids, in: query,', 'name: ids, in: query, style: pipeDelimited, explode: false,']],
    'breaking',
    'breaking',
  ],
  [
    "a parameter's content",
    [
      [
        '{ type: object, properties: { a: { type: string } } }',
        '{ type: object, properties: { a: { type: integer } } }',
      ],
    ],
    'breaking',
    'breaking',
  ],
  [
    'a parameter in a media type',
    [
      [
        'name: filter, in: query, content: { application/json: { schema: { type: object, properties: { a: { type: string } } } } }',
        'name: filter, in: query, schema: { type: object, properties: { a: { type: string } } }',
      ],
    ],
    'breaking',
    'breaking',
  ],
  [
    'parameters in another order',
    [
      ['        - { name: session, in: cookie, schema: { type: string } }\n', ''],
      [
        '      parameters:\n        - { name: ids',
        '      parameters:\n        - { name: session, in: cookie, schema: { type: string } }\n        - { name: ids',
      ],
    ],
    'nothing',
    'nothing',
  ],
  ['a header in capitals', [['name: X-Trace', 'name: X-TRACE']], 'nothing', 'nothing'],
  [
    'a required header',
    [['name: X-Trace, in: header, required: true', 'name: X-Trace, in: header']],
    'safe',
    'breaking',
  ],
  [
    'a parameter moved to a component',
    [
      [
        '        - { name: session, in: cookie, schema: { type: string } }',
        "        - { $ref: '#/components/parameters/Session' }",
      ],
      [
        'components:\n',
        'components:\n  parameters: { Session: { name: session, in: cookie, schema: { type: string } } }\n',
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'one item of a parameter',
    [['items: { type: integer } }', 'items: { type: integer, minimum: 1 } }']],
    'breaking',
    'safe',
  ],
  [
    'a header that the protocol has',
    [
      [
        '        - { name: session',
        '        - { name: Accept, in: header, required: true, schema: { type: string } }\n        - { name: session',
      ],
    ],
    'nothing',
    'nothing',
  ],
  // Bodies and responses.
  [
    'a media type loses its schema',
    [['image/png: { schema: { type: string, contentEncoding: base64 } }', 'image/png: {}']],
    'breaking',
    'safe',
  ],
  [
    'a request loses its schema',
    [
      [
        "          application/json: { schema: { $ref: '#/components/schemas/Article' } }\n",
        '          application/json: {}\n',
      ],
    ],
    'safe',
    'breaking',
  ],
  ['how a part is encoded', [['contentType: image/png', 'contentType: image/jpeg']], 'breaking', 'breaking'],
  [
    'a media type with its character set',
    [
      [
        'content: { application/json: { schema: { type: array',
        'content: { application/json; charset=utf-8: { schema: { type: array',
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'a media type that a range takes',
    [['          multipart/form-data: {', '          multipart/*: {']],
    'safe',
    'breaking',
  ],
  [
    'a body becomes required',
    [['      requestBody:\n        content:', '      requestBody:\n        required: true\n        content:']],
    'breaking',
    'safe',
  ],
  [
    'an answer moved to a component',
    [
      ["        '404': { description: None. }", "        '404': { $ref: '#/components/responses/None' }"],
      ['components:\n', 'components:\n  responses: { None: { description: None. } }\n'],
    ],
    'nothing',
    'nothing',
  ],
  [
    'a status that a range had',
    [
      [
        "'4XX': { description: A failure. }",
        "'4XX': { description: A failure. }\n        '409': { description: A conflict. }",
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'a status of a range for the range',
    [["'4XX': { description: A failure. }", "'409': { description: A conflict. }"]],
    'safe',
    'safe',
  ],
  [
    'a success more',
    [["        '201': {", "        '202': { description: Later. }\n        '201': {"]],
    'risky',
    'breaking',
  ],
  [
    'a failure that the default had',
    [
      [
        '        default: {',
        "        '404': { description: None., content: { application/json: { schema: { $ref: '#/components/schemas/Failure' } } } }\n        default: {",
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'an answer without a body',
    [
      [
        "'404': { description: None. }",
        "'404': { description: None., content: { text/plain: { schema: { type: string } } } }",
      ],
    ],
    'safe',
    'breaking',
  ],
  [
    'a header of an answer',
    [
      [
        'headers: { X-Total: { required: true, schema: { type: integer } } }',
        'headers: { X-Total: { required: true, schema: { type: string } } }',
      ],
    ],
    'breaking',
    'breaking',
  ],
  ['a link', [['links: { next: { operationId: list } }', 'links: {}']], 'risky', 'safe'],
  [
    'where a link leads',
    [['links: { next: { operationId: list } }', 'links: { next: { operationId: photo } }']],
    'risky',
    'risky',
  ],
  [
    'a range of successes for one of it',
    [["        '200':\n          description: Articles.", "        '2XX':\n          description: Articles."]],
    'risky',
    'safe',
  ],
  [
    'a success of another media type',
    [['content: { image/png:', 'content: { image/webp: {}, image/png:']],
    'safe',
    'breaking',
  ],
  ['where a key is sent', [['in: header, name: X-Key', 'in: query, name: X-Key']], 'breaking', 'breaking'],
  [
    'a member that is sent and got becomes required',
    [['Article: { type: object, required: [id]', 'Article: { type: object, required: [id, name]']],
    'breaking',
    'breaking',
  ],
  ['a fix of the specification', [['openapi: 3.1.0', 'openapi: 3.1.1']], 'nothing', 'nothing'],
  // Webhooks and callbacks.
  ['a webhook', [['  sold:\n    post:', '  returned:\n    post:']], 'breaking', 'breaking'],
  ['a member of a webhook', [[', note: { type: string } } }', ' } }']], 'breaking', 'safe'],
  [
    'what a webhook need not send',
    [['Sale: { type: object, required: [id]', 'Sale: { type: object']],
    'breaking',
    'safe',
  ],
  [
    'what a webhook is answered',
    [
      [
        '{ type: object, properties: { seen: { type: boolean } } }',
        '{ type: object, required: [seen], properties: { seen: { type: boolean } } }',
      ],
    ],
    'breaking',
    'safe',
  ],
  ['a callback', [['        paid:\n', '        settled:\n']], 'breaking', 'breaking'],
  [
    'a member of a callback',
    [['required: [sum], properties: { sum: { type: integer } }', 'properties: { sum: { type: integer } }']],
    'breaking',
    'safe',
  ],
  // The document.
  [
    'a schema nothing uses',
    [['    Unused: { type: object, properties: { x: { type: string } } }\n', '']],
    'safe',
    'safe',
  ],
  [
    'a schema has another name',
    [
      ['    Sale:', '    Sold:'],
      ['schemas/Sale', 'schemas/Sold'],
    ],
    'risky',
    'risky',
  ],
  ['words of the document', [['title: Shop', 'title: The shop, contact: { name: Us }']], 'nothing', 'nothing'],
  [
    'the dialect of its schemas',
    [['info: {', 'jsonSchemaDialect: https://json-schema.org/draft/2019-09/schema\ninfo: {']],
    'risky',
    'risky',
  ],
];
