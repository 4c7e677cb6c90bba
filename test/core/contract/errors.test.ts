import t from 'tap';
import { openLibrary } from '../../support/library/library.js';

t.test('an error code of the application has the status and the title of the contract', async (t) => {
  const { person, rest, graphql, fetch } = await openLibrary(t);
  const reader = await person('READER');
  t.equal((await rest('POST', '/loans', reader, { book: 'Momo' })).status, 201);
  const { status, body } = await rest('POST', '/loans', reader, { book: 'Momo' });
  t.equal(status, 423);
  t.match(body, { status: 423, code: 'BOOK_LENT', title: 'Book lent', detail: 'Somebody has it.' });
  t.match(body.type, /^http:\/\/127\.0\.0\.1:\d+\/docs\/errors#BOOK_LENT$/, 'an absolute address');
  const { data, errors } = await graphql(reader, 'mutation { lend(book: "Momo") { id } }');
  t.match([data, errors], [{ lend: null }, [{ code: 'BOOK_LENT', statusCode: 423, type: body.type }]]);

  const text = await (await fetch('/docs/errors')).text();
  t.match(
    text,
    /<tr id="BOOK_LENT">.*<td>423<\/td><td><strong>Book lent<\/strong><br>Somebody else is reading it\.<\/td><\/tr>\n<tr id="RATE_LIMITED">/,
    'the catalogue has it, in its place',
  );
  t.match(
    text,
    /<tr id="GONE">.*The person has left the library\./,
    "and the application's word on a code of the platform",
  );
  t.match(text, /<tr id="CONFLICT">.*<br>The present state forbids it\.</);
  t.notMatch(text, /PAYMENT_DECLINED|BAD_GATEWAY|e-mail|order/i, 'and nothing of another application');
});
