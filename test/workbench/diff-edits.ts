import type { DocumentCase } from './diff-documents.js';

/** The contract of a store, in typical size and form. */
export const STORE = `openapi: 3.1.0
info: { title: Store, version: 1.0.0 }
servers: [{ url: https://api.store.test/v1 }]
security: [{ bearer: [] }]
tags: [{ name: products }, { name: orders }]
paths:
  /products:
    get:
      operationId: listProducts
      tags: [products]
      parameters:
        - { name: limit, in: query, schema: { type: integer, format: int32, minimum: 1, maximum: 100, default: 20 } }
        - { name: sort, in: query, schema: { type: string, enum: [name, price] } }
        - { name: ids, in: query, schema: { type: array, items: { type: string }, maxItems: 10 } }
        - { $ref: '#/components/parameters/TraceId' }
      responses:
        '200':
          description: OK.
          headers:
            X-Total-Count: { required: true, schema: { type: integer } }
            X-Next: { schema: { type: string } }
          content:
            application/json:
              schema:
                type: object
                required: [items]
                properties:
                  items: { type: array, items: { $ref: '#/components/schemas/Product' } }
                  next: { type: [string, 'null'] }
        '400': { $ref: '#/components/responses/BadRequest' }
    post:
      operationId: createProduct
      tags: [products]
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/NewProduct' } }
      responses:
        '201':
          description: Created.
          content: { application/json: { schema: { $ref: '#/components/schemas/Product' } } }
        '400': { $ref: '#/components/responses/BadRequest' }
  /products/{productId}:
    parameters:
      - { name: productId, in: path, required: true, schema: { type: string, format: uuid } }
    get:
      operationId: getProduct
      tags: [products]
      responses:
        '200':
          description: OK.
          content: { application/json: { schema: { $ref: '#/components/schemas/Product' } } }
        '404': { description: No such product. }
    patch:
      operationId: updateProduct
      tags: [products]
      requestBody:
        content:
          application/merge-patch+json: { schema: { $ref: '#/components/schemas/ProductPatch' } }
      responses:
        '200': { description: OK., content: { application/json: { schema: { $ref: '#/components/schemas/Product' } } } }
    delete:
      operationId: deleteProduct
      tags: [products]
      security: [{ bearer: [] }, { apiKey: [] }]
      responses: { '204': { description: Gone. } }
  /payments:
    post:
      operationId: pay
      tags: [orders]
      security: [{ oauth: ['payments:write'] }]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              oneOf: [{ $ref: '#/components/schemas/CardPayment' }, { $ref: '#/components/schemas/BankPayment' }]
              discriminator: { propertyName: method, mapping: { card: '#/components/schemas/CardPayment', bank: '#/components/schemas/BankPayment' } }
      responses:
        '202':
          description: Accepted.
          content: { application/json: { schema: { $ref: '#/components/schemas/Receipt' } } }
components:
  parameters:
    TraceId: { name: X-Trace-Id, in: header, schema: { type: string } }
  responses:
    BadRequest: { description: Bad., content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } } }
  securitySchemes:
    bearer: { type: http, scheme: bearer }
    apiKey: { type: apiKey, in: header, name: X-Api-Key }
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://auth.test/token', scopes: { 'payments:write': Pay., 'payments:read': Read. } } } }
  schemas:
    Base:
      type: object
      required: [id, createdAt]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        createdAt: { type: string, format: date-time, readOnly: true }
    Product:
      allOf:
        - { $ref: '#/components/schemas/Base' }
        - type: object
          required: [name, price]
          properties:
            name: { type: string, maxLength: 80 }
            description: { type: [string, 'null'] }
            price: { $ref: '#/components/schemas/Money' }
            status: { $ref: '#/components/schemas/Status' }
            tags: { type: array, items: { type: string }, maxItems: 20 }
            related: { type: array, items: { $ref: '#/components/schemas/Product' } }
            labels: { type: object, additionalProperties: { type: string } }
    NewProduct:
      type: object
      additionalProperties: false
      required: [name, price]
      properties:
        name: { type: string, minLength: 1, maxLength: 80 }
        description: { type: string }
        price: { $ref: '#/components/schemas/Money' }
        sku: { type: string, pattern: '^[A-Z]{3}-[0-9]+$' }
        tags: { type: array, items: { type: string }, maxItems: 20 }
    ProductPatch:
      type: object
      properties:
        name: { type: string }
        price: { $ref: '#/components/schemas/Money' }
    Money: { type: object, required: [amount, currency], properties: { amount: { type: integer }, currency: { type: string, enum: [EUR, USD] } } }
    Status: { type: string, enum: [draft, active] }
    CardPayment: { type: object, required: [method, number], properties: { method: { const: card }, number: { type: string } } }
    BankPayment: { type: object, required: [method, iban], properties: { method: { const: bank }, iban: { type: string } } }
    Receipt: { type: object, required: [id], properties: { id: { type: string }, amount: { type: number, format: double }, paid: { type: boolean, default: false } } }
    Problem: { type: object, required: [title], properties: { title: { type: string }, detail: { type: string } } }
`;

/** Typical edits, by the check ids of oasdiff and the categories of Buf. The last column is for the reverted edit. */
export const edits: DocumentCase[] = [
  [
    'request prop optional',
    [['        sku: {', '        color: { type: string }\n        sku: {']],
    'safe',
    'breaking',
  ],
  [
    'response prop in allOf part',
    [['            tags: { type: array', '            weight: { type: number }\n            tags: { type: array']],
    'safe',
    'breaking',
  ],
  [
    'inline Money',
    [
      [
        "            price: { $ref: '#/components/schemas/Money' }",
        '            price: { type: object, required: [amount, currency], properties: { amount: { type: integer }, currency: { type: string, enum: [EUR, USD] } } }',
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'flatten Product',
    [
      [
        "      allOf:\n        - { $ref: '#/components/schemas/Base' }\n        - type: object\n          required: [name, price]\n          properties:\n            name:",
        '      type: object\n      required: [id, createdAt, name, price]\n      properties:\n            id: { type: string, format: uuid, readOnly: true }\n            createdAt: { type: string, format: date-time, readOnly: true }\n            name:',
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'Base property added required',
    [
      [
        'required: [id, createdAt]\n      properties:\n',
        'required: [id, createdAt, updatedAt]\n      properties:\n        updatedAt: { type: string, format: date-time, readOnly: true }\n',
      ],
    ],
    'safe',
    'breaking',
  ],
  ['Money currency value', [['enum: [EUR, USD]', 'enum: [EUR, USD, GBP]']], 'risky', 'breaking'],
  [
    'currency open',
    [['currency: { type: string, enum: [EUR, USD] }', 'currency: { type: string }']],
    'risky',
    'breaking',
  ],
  ['amount integer → number', [['amount: { type: integer }', 'amount: { type: number }']], 'breaking', 'breaking'],
  ['amount → string', [['amount: { type: integer }', 'amount: { type: string }']], 'breaking', 'breaking'],
  [
    'patch prop required',
    [['    ProductPatch:\n      type: object\n', '    ProductPatch:\n      type: object\n      required: [name]\n']],
    'breaking',
    'safe',
  ],
  [
    'patch closed',
    [
      [
        '    ProductPatch:\n      type: object\n',
        '    ProductPatch:\n      type: object\n      additionalProperties: false\n',
      ],
    ],
    'breaking',
    'safe',
  ],
  ['NewProduct opened', [['      additionalProperties: false\n', '']], 'safe', 'breaking'],
  [
    'body required',
    [
      [
        '      requestBody:\n        content:\n          application/merge',
        '      requestBody:\n        required: true\n        content:\n          application/merge',
      ],
    ],
    'breaking',
    'safe',
  ],
  [
    'new media type',
    [
      [
        '          application/merge-patch+json: {',
        "          application/json: { schema: { $ref: '#/components/schemas/ProductPatch' } }\n          application/merge-patch+json: {",
      ],
    ],
    'safe',
    'breaking',
  ],
  ['media type replaced', [['application/merge-patch+json', 'application/json']], 'breaking', 'breaking'],
  ['header required', [['X-Next: { schema', 'X-Next: { required: true, schema']], 'safe', 'breaking'],
  ['header gone', [['            X-Next: { schema: { type: string } }\n', '']], 'risky', 'safe'],
  [
    'shared header parameter required',
    [['X-Trace-Id, in: header,', 'X-Trace-Id, in: header, required: true,']],
    'breaking',
    'safe',
  ],
  ['limit max', [['maximum: 100', 'maximum: 50']], 'breaking', 'safe'],
  ['limit format', [['format: int32', 'format: int64']], 'safe', 'breaking'],
  ['limit default', [['default: 20', 'default: 10']], 'risky', 'risky'],
  ['limit exclusive', [['minimum: 1,', 'exclusiveMinimum: 0,']], 'nothing', 'nothing'],
  ['sort enum', [['enum: [name, price]', 'enum: [name, price, created]']], 'safe', 'breaking'],
  ['ids csv', [['name: ids, in: query,', 'name: ids, in: query, explode: false,']], 'breaking', 'breaking'],
  ['ids maxItems', [['maxItems: 10', 'maxItems: 5']], 'breaking', 'safe'],
  [
    'path param renamed',
    [
      ['{productId}', '{id}'],
      ['name: productId', 'name: id'],
    ],
    'safe',
    'safe',
  ],
  [
    'path param uuid → int',
    [
      [
        'in: path, required: true, schema: { type: string, format: uuid }',
        'in: path, required: true, schema: { type: integer }',
      ],
    ],
    'breaking',
    'breaking',
  ],
  [
    'path param loses format',
    [
      [
        'in: path, required: true, schema: { type: string, format: uuid }',
        'in: path, required: true, schema: { type: string }',
      ],
    ],
    'safe',
    'breaking',
  ],
  ['status 404 → 410', [["'404': {", "'410': {"]], 'safe', 'safe'],
  ['status 201 → 200', [["'201':", "'200':"]], 'breaking', 'breaking'],
  ['security alternative removed', [['[{ bearer: [] }, { apiKey: [] }]', '[{ bearer: [] }]']], 'breaking', 'safe'],
  ['scope added', [["oauth: ['payments:write']", "oauth: ['payments:write', 'payments:read']"]], 'breaking', 'safe'],
  [
    'global security optional',
    [['security: [{ bearer: [] }]\ntags', 'security: [{}, { bearer: [] }]\ntags']],
    'risky',
    'breaking',
  ],
  [
    'scheme renamed',
    [
      ['bearer: [] }', 'jwt: [] }'],
      ['    bearer: {', '    jwt: {'],
    ],
    'safe',
    'safe',
  ],
  [
    'alternative added',
    [
      [
        "{ $ref: '#/components/schemas/BankPayment' }]",
        "{ $ref: '#/components/schemas/BankPayment' }, { $ref: '#/components/schemas/WalletPayment' }]",
      ],
      [
        "bank: '#/components/schemas/BankPayment' }",
        "bank: '#/components/schemas/BankPayment', wallet: '#/components/schemas/WalletPayment' }",
      ],
      [
        '    Receipt:',
        '    WalletPayment: { type: object, required: [method], properties: { method: { const: wallet } } }\n    Receipt:',
      ],
    ],
    'safe',
    'breaking',
  ],
  [
    'discriminator value',
    [
      ["bank: '#/comp", "iban: '#/comp"],
      ['const: bank', 'const: iban'],
    ],
    'breaking',
    'breaking',
  ],
  [
    'alternative requires more',
    [
      ['required: [method, iban]', 'required: [method, iban, holder]'],
      ['iban: { type: string }', 'iban: { type: string }, holder: { type: string }'],
    ],
    'breaking',
    'risky',
  ],
  ['alternative renamed with its mapping', [['BankPayment', 'TransferPayment']], 'risky', 'risky'],
  [
    'receipt nullable',
    [['amount: { type: number, format: double }', "amount: { type: [number, 'null'], format: double }"]],
    'breaking',
    'safe',
  ],
  [
    'receipt default',
    [['paid: { type: boolean, default: false }', 'paid: { type: boolean, default: true }']],
    'safe',
    'safe',
  ],
  ['float', [['format: double', 'format: float']], 'safe', 'breaking'],
  ['next not null', [["next: { type: [string, 'null'] }", 'next: { type: string }']], 'safe', 'breaking'],
  [
    'next anyOf null',
    [["next: { type: [string, 'null'] }", "next: { anyOf: [{ type: string }, { type: 'null' }] }"]],
    'nothing',
    'nothing',
  ],
  [
    'price nullable by oneOf',
    [
      [
        "            price: { $ref: '#/components/schemas/Money' }",
        "            price: { oneOf: [{ $ref: '#/components/schemas/Money' }, { type: 'null' }] }",
      ],
    ],
    'breaking',
    'safe',
  ],
  ['items → required next', [['required: [items]', 'required: [items, next]']], 'safe', 'breaking'],
  [
    'list wrapper renamed',
    [
      ['required: [items]', 'required: [data]'],
      ['                  items: {', '                  data: {'],
    ],
    'breaking',
    'breaking',
  ],
  [
    'labels',
    [['additionalProperties: { type: string } }', 'additionalProperties: { type: integer } }']],
    'breaking',
    'breaking',
  ],
  [
    'labels closed',
    [['additionalProperties: { type: string } }', "additionalProperties: { type: [string, 'null'] } }"]],
    'breaking',
    'safe',
  ],
  [
    'tags unique',
    [
      [
        "sku: { type: string, pattern: '^[A-Z]{3}-[0-9]+$' }\n        tags: { type: array,",
        "sku: { type: string, pattern: '^[A-Z]{3}-[0-9]+$' }\n        tags: { type: array, uniqueItems: true,",
      ],
    ],
    'breaking',
    'safe',
  ],
  ['sku pattern', [['^[A-Z]{3}-', '^[A-Z]{4}-']], 'breaking', 'breaking'],
  [
    'name max in response',
    [['name: { type: string, maxLength: 80 }', 'name: { type: string, maxLength: 120 }']],
    'risky',
    'safe',
  ],
  ['readOnly', [['        sku: { type: string,', '        sku: { type: string, readOnly: true,']], 'breaking', 'safe'],
  [
    'deprecated prop',
    [['            tags: { type: array', '            tags: { deprecated: true, type: array']],
    'safe',
    'safe',
  ],
  ['description', [['description: Gone.', 'description: It is gone.']], 'nothing', 'nothing'],
  [
    'operation tags',
    [['operationId: pay\n      tags: [orders]', 'operationId: pay\n      tags: [products]']],
    'risky',
    'risky',
  ],
  ['operationId', [['operationId: pay\n', 'operationId: createPayment\n']], 'breaking', 'breaking'],
  ['path', [['  /payments:', '  /v2/payments:']], 'breaking', 'breaking'],
  ['problem detail required', [['required: [title]', 'required: [title, detail]']], 'safe', 'breaking'],
  ['problem prop gone', [[', detail: { type: string } }', ' }']], 'breaking', 'safe'],
  [
    'server added',
    [
      [
        'servers: [{ url: https://api.store.test/v1 }]',
        'servers: [{ url: https://api.store.test/v1 }, { url: https://eu.store.test/v1 }]',
      ],
    ],
    'safe',
    'breaking',
  ],
  ['type object removed', [['    Money: { type: object, required', '    Money: { required']], 'breaking', 'breaking'],
  [
    'component param moved inline',
    [
      [
        "        - { $ref: '#/components/parameters/TraceId' }",
        '        - { name: X-Trace-Id, in: header, schema: { type: string } }',
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'component response moved inline',
    [
      [
        "        '400': { $ref: '#/components/responses/BadRequest' }\n    post",
        "        '400': { description: Bad., content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } } }\n    post",
      ],
    ],
    'nothing',
    'nothing',
  ],
  [
    'allOf adds a part',
    [
      [
        "        - { $ref: '#/components/schemas/Base' }\n",
        "        - { $ref: '#/components/schemas/Base' }\n        - { $ref: '#/components/schemas/Owned' }\n",
      ],
      [
        '    Money:',
        '    Owned: { type: object, required: [owner], properties: { owner: { type: string } } }\n    Money:',
      ],
    ],
    'safe',
    'breaking',
  ],
  [
    'property moves from part to Base',
    [
      ["            status: { $ref: '#/components/schemas/Status' }\n", ''],
      ['        createdAt: {', "        status: { $ref: '#/components/schemas/Status' }\n        createdAt: {"],
    ],
    'nothing',
    'nothing',
  ],
  [
    'items type',
    [
      [
        'tags: { type: array, items: { type: string }, maxItems: 20 }\n            rel',
        'tags: { type: array, items: { type: integer }, maxItems: 20 }\n            rel',
      ],
    ],
    'breaking',
    'breaking',
  ],
  [
    'default response',
    [
      [
        "        '404': { description: No such product. }",
        "        '404': { description: No such product. }\n        default: { description: Error. }",
      ],
    ],
    'safe',
    'safe',
  ],
  ['enum to const', [['enum: [draft, active]', 'const: active']], 'safe', 'risky'],
  ['x-rate', [['operationId: pay\n', 'operationId: pay\n      x-internal-team: pay\n']], 'safe', 'safe'],
  ['unknown keyword', [['iban: { type: string }', 'iban: { type: string, minEntropy: 3 }']], 'risky', 'risky'],
  [
    'string → uuid or int type list',
    [
      [
        'Receipt: { type: object, required: [id], properties: { id: { type: string }',
        'Receipt: { type: object, required: [id], properties: { id: { type: [string, integer] }',
      ],
    ],
    'breaking',
    'safe',
  ],
  [
    'requestBody removed',
    [
      [
        "      requestBody:\n        content:\n          application/merge-patch+json: { schema: { $ref: '#/components/schemas/ProductPatch' } }\n",
        '',
      ],
    ],
    'risky',
    'safe',
  ],
  [
    'response body added',
    [
      [
        "'204': { description: Gone. }",
        "'204': { description: Gone., content: { application/json: { schema: { type: object } } } }",
      ],
    ],
    'safe',
    'breaking',
  ],
  ['anyOf for oneOf', [['              oneOf: [', '              anyOf: [']], 'safe', 'breaking'],
];

/** The SDL of the same store. */
export const STORE_SDL = `directive @permission(action: String!, viewer: Access!, admin: Access!) repeatable on FIELD_DEFINITION
directive @constraint(min: Int, max: Int, minLength: Int, maxLength: Int, pattern: String) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
directive @cost(value: Int) on FIELD_DEFINITION
scalar DateTime
enum Access { NONE OWN ANY }
enum Status { DRAFT LIVE }
enum Sort { NAME PRICE }
interface Node { id: ID! }
type Product implements Node { id: ID!  name: String! price: Int status: Status! tags: [String!]! old: String @deprecated(reason: "Use name until 2026-01-01") legacy: Int @deprecated(reason: "gone on 2099-01-01") }
type Category implements Node { id: ID! title: String products(first: Int = 10, sort: Sort = NAME): [Product!]! }
union Hit = Product | Category
input ProductInput { name: String! @constraint(maxLength: 80) price: Int = 0 status: Status = DRAFT tags: [String!] }
input Where { status: [Status!] text: String @constraint(minLength: 3) }
type Query {
  product(id: ID!): Product @permission(action: "p.read", viewer: ANY, admin: ANY)
  products(where: Where, limit: Int! = 20 @constraint(max: 100)): [Product!]! @permission(action: "p.list", viewer: OWN, admin: ANY)
  search(text: String!): [Hit!]!
  node(id: ID!): Node
}
type Mutation { create(input: ProductInput!): Product! @permission(action: "p.create", viewer: NONE, admin: ANY) }
type Subscription { changed: Product }
`;

/** Edits of the SDL, by the criteria of graphql-inspector. */
export const sdlEdits: DocumentCase[] = [
  ['field removed', [['price: Int status', 'status']], 'breaking', 'safe'],
  ['passed date', [['old: String @deprecated(reason: "Use name until 2026-01-01") ', '']], 'safe', 'safe'],
  ['future date', [[' legacy: Int @deprecated(reason: "gone on 2099-01-01")', '']], 'breaking', 'safe'],
  ['field nonnull→null', [['name: String! price', 'name: String price']], 'breaking', 'safe'],
  ['list elem', [['tags: [String!]! old', 'tags: [String]! old']], 'breaking', 'safe'],
  ['arg required', [['search(text: String!)', 'search(text: String!, lang: String!)']], 'breaking', 'breaking'],
  ['arg optional', [['search(text: String!)', 'search(text: String!, lang: String)']], 'safe', 'breaking'],
  ['arg default changed', [['first: Int = 10', 'first: Int = 20']], 'risky', 'risky'],
  ['nonnull arg loses default', [['limit: Int! = 20', 'limit: Int!']], 'breaking', 'safe'],
  ['arg nonnull with default to null', [['limit: Int! = 20', 'limit: Int = 20']], 'safe', 'breaking'],
  ['input field required', [['tags: [String!] }\ninput', 'tags: [String!]! }\ninput']], 'breaking', 'safe'],
  ['input removed', [['price: Int = 0 ', '']], 'breaking', 'safe'],
  ['input type', [['price: Int = 0', 'price: Float = 0']], 'breaking', 'breaking'],
  [
    'input scalar to list',
    [['text: String @constraint(minLength: 3)', 'text: [String] @constraint(minLength: 3)']],
    'breaking',
    'breaking',
  ],
  ['enum in/out', [['{ DRAFT LIVE }', '{ DRAFT LIVE GONE }']], 'risky', 'breaking'],
  ['enum sort', [['{ NAME PRICE }', '{ NAME PRICE DATE }']], 'safe', 'breaking'],
  ['union', [['union Hit = Product | Category', 'union Hit = Product']], 'breaking', 'risky'],
  ['interface', [['type Category implements Node', 'type Category']], 'breaking', 'risky'],
  ['permission narrowed', [['"p.list", viewer: OWN', '"p.list", viewer: NONE']], 'breaking', 'risky'],
  ['permission removed', [[' @permission(action: "p.create", viewer: NONE, admin: ANY)', '']], 'risky', 'breaking'],
  ['constraint max', [['max: 100', 'max: 50']], 'breaking', 'safe'],
  [
    'constraint added',
    [['name: String! @constraint(maxLength: 80)', 'name: String! @constraint(maxLength: 80, pattern: "^a")']],
    'breaking',
    'safe',
  ],
  ['deprecated', [['price: Int status', 'price: Int @deprecated(reason: "x") status']], 'safe', 'safe'],
  ['desc', [['type Product implements', '"A product."\ntype Product implements']], 'nothing', 'nothing'],
  ['cost', [['node(id: ID!): Node', 'node(id: ID!): Node @cost(value: 3)']], 'risky', 'risky'],
  ['output type', [['price: Int status', 'price: Float status']], 'breaking', 'breaking'],
  ['output obj→interface', [['changed: Product', 'changed: Node']], 'breaking', 'breaking'],
  ['subscription removed', [['type Subscription { changed: Product }\n', '']], 'breaking', 'safe'],
  [
    'type removed',
    [
      [
        'type Category implements Node { id: ID! title: String products(first: Int = 10, sort: Sort = NAME): [Product!]! }\n',
        '',
      ],
      [' | Category', ''],
    ],
    'breaking',
    'risky',
  ],
  ['rename type', [['Where', 'Filter']], 'breaking', 'breaking'],
  ['nullable out → nonnull', [['product(id: ID!): Product', 'product(id: ID!): Product!']], 'safe', 'breaking'],
  ['scalar → String', [['price: Int status', 'price: Int at: DateTime status']], 'safe', 'breaking'],
  ['new mutation', [['type Mutation {', 'type Mutation { drop(id: ID!): Boolean ']], 'safe', 'breaking'],
  ['directive arg', [['directive @cost(value: Int)', 'directive @cost(value: Int, per: Int)']], 'nothing', 'nothing'],
  [
    'input new with default nonnull',
    [['tags: [String!] }\ninput', 'tags: [String!] weight: Int! = 1 }\ninput']],
    'safe',
    'breaking',
  ],
  ['id arg type', [['product(id: ID!)', 'product(id: String!)']], 'breaking', 'breaking'],
];
