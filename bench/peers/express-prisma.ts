import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { contract } from './contract.js';
import { ready } from './listening.js';
import { fields, prisma } from './prisma.js';
import { columnsOf, pageOf, represent } from './users.js';

/** Express with Prisma and express-openapi-validator, for requests and answers as its documentation shows. */
const app = express();
app.use(express.json());
app.use(middleware({ apiSpec: contract as never, validateRequests: true, validateResponses: true }));

app.get('/api/v1/users/:user_id', async (request, response) => {
  const user = await prisma.user.findUnique({ where: { id: Number(request.params['user_id']) }, select: fields });
  if (user === null) response.status(404).end();
  else response.json(represent(user));
});

app.get('/api/v1/users', async (request, response) => {
  const { after, limit } = request.query as unknown as { after: number; limit: number };
  const take = limit + 1;
  const users = await prisma.user.findMany({
    where: { id: { gt: after } },
    orderBy: { id: 'asc' },
    take,
    select: fields,
  });
  response.json(pageOf(users, limit));
});

app.post('/api/v1/users', async (request, response) => {
  response.status(201).json(represent(await prisma.user.create({ data: columnsOf(request.body), select: fields })));
});

const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(error.status ?? 500).json({ message: error.message, errors: error.errors });
};
app.use(refuse);

const server = app.listen(0, '127.0.0.1', () => ready(server));
