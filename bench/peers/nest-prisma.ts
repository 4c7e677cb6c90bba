import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ready } from './listening.js';
import { fields, prisma } from './prisma.js';
import { columnsOf, type NewUser, pageOf, represent } from './users.js';

/** NestJS on Fastify with Prisma, without authentication, validation of contents, limits or ETags. */
@Injectable()
class UsersService {
  find(id: number) {
    return prisma.user.findUnique({ where: { id }, select: fields });
  }
  after(id: number, take: number) {
    return prisma.user.findMany({ where: { id: { gt: id } }, orderBy: { id: 'asc' }, take, select: fields });
  }
  create(user: NewUser) {
    return prisma.user.create({ data: columnsOf(user), select: fields });
  }
}

@Controller('api/v1/users')
class UsersController {
  @Inject(UsersService) private readonly users!: UsersService;

  @Get(':id')
  async get(@Param('id', ParseIntPipe) id: number) {
    const user = await this.users.find(id);
    if (user === null) throw new NotFoundException();
    return represent(user);
  }

  @Get()
  async list(@Query('after', ParseIntPipe) after: number, @Query('limit', ParseIntPipe) limit: number) {
    return pageOf(await this.users.after(after, limit + 1), limit);
  }

  @Post()
  @HttpCode(201)
  async create(@Body() body: NewUser) {
    return represent(await this.users.create(body));
  }
}

@Module({ controllers: [UsersController], providers: [UsersService] })
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), { logger: ['error'] });
await app.listen(0, '127.0.0.1');
ready(app.getHttpServer());
