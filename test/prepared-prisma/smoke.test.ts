import t from 'tap';
import { PrismaPg } from '@prisma/adapter-pg';
import { preparedClient } from '../../src/platform/prepared-prisma/prepared-client.js';
import { recordingsOf, statisticsOf } from '../../src/platform/prepared-prisma/statistics.js';
import { dataModel, make, onEachDatabase } from './fixture.js';

onEachDatabase(t, async (t, database) => {
  const pool = database.pool({ pipeline: true });
  const prisma = make(new PrismaPg(pool));
  const db = preparedClient(make, pool, dataModel);
  for (let i = 0; i < 5; i++) {
    for (const one of [prisma, db]) {
      console.log(await one.user.findFirst({ where: { id: 7 } }));
      console.log(await one.user.findFirst({ where: { id: 7 }, select: { name: true, posts: { take: 1, select: { title: true, createdAt: true } } } }));
      console.log(await one.post.update({ where: { id: 7 }, data: { title: 'x' } }));
      console.log(await one.$queryRaw`SELECT ${i}::int AS n, now() AS "at", ARRAY[1,2] AS l, ${new Date(0)}::timestamptz AS d`);
      console.log(await one.$transaction(async (tx: any) => [await tx.user.count(), await tx.event.create({ data: { kind: 'a', number: Math.floor(Math.random()*1e9) } }), await tx.$queryRaw`SELECT 1 AS one`]));
    }
    await recordingsOf(db);
  }
  console.log(statisticsOf(db));
});
