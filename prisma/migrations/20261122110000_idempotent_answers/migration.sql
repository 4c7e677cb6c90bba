-- A work has no kind: what decides how the request ends is named by its id alone.
ALTER TABLE "idempotency_keys" RENAME COLUMN "payment_id" TO "work_id";
ALTER INDEX "idempotency_keys_payment_id_idx" RENAME TO "idempotency_keys_work_id_idx";

-- What is kept is the answer, no longer the row that it was made of. Who sends a request again gets what the first one got.
ALTER TABLE "idempotency_keys" ADD COLUMN "answer" TEXT;

UPDATE "idempotency_keys" SET "answer" = json_build_object(
  'status', 201,
  'headers', json_build_object(
    'location', '/api/v1/users/' || ("result"->>'id'),
    'etag', '"' || ("result"->>'id') || '-' || ("result"->>'version') || '"'
  ),
  'body', json_build_object(
    'id', "result"->'id',
    'name', "result"->'name',
    'email', "result"->'email',
    'role', lower("result"->>'role'),
    'createdAt', "result"->'createdAt',
    '_links', json_build_object(
      'self', json_build_object('href', '/api/v1/users/' || ("result"->>'id')),
      'orders', json_build_object('href', '/api/v1/users/' || ("result"->>'id') || '/orders')
    )
  )
)::text
WHERE "operation" = 'createUser' AND "result" IS NOT NULL;

UPDATE "idempotency_keys" SET "answer" = json_build_object(
  'status', CASE WHEN "operation" = 'createOrder' THEN 201 WHEN "result"->>'status' = 'PROCESSING' THEN 202 ELSE 200 END,
  'headers', CASE
    WHEN "operation" = 'createOrder' THEN json_build_object(
      'location', '/api/v1/orders/' || ("result"->>'id'),
      'etag', '"' || ("result"->>'id') || '-' || ("result"->>'version') || '"'
    )
    WHEN "result"->>'status' = 'PROCESSING' THEN json_build_object(
      'location', '/api/v1/orders/' || ("result"->>'id'),
      'etag', '"' || ("result"->>'id') || '-' || ("result"->>'version') || '"',
      'preference-applied', 'respond-async'
    )
    ELSE json_build_object('etag', '"' || ("result"->>'id') || '-' || ("result"->>'version') || '"')
  END,
  'body', json_build_object(
    'id', "result"->'id',
    'status', lower("result"->>'status'),
    'total', json_build_object('amount', "result"->'amount', 'currency', "result"->'currency'),
    'createdAt', "result"->'createdAt',
    '_links', CASE
      WHEN "result"->>'status' = 'PENDING' THEN json_build_object(
        'self', json_build_object('href', '/api/v1/orders/' || ("result"->>'id')),
        'cancel', json_build_object('href', '/api/v1/orders/' || ("result"->>'id') || '/cancel', 'method', 'POST'),
        'pay', json_build_object('href', '/api/v1/orders/' || ("result"->>'id') || '/payment', 'method', 'POST')
      )
      ELSE json_build_object('self', json_build_object('href', '/api/v1/orders/' || ("result"->>'id')))
    END
  )
)::text
WHERE "operation" IN ('createOrder', 'payOrder') AND "result" IS NOT NULL;

ALTER TABLE "idempotency_keys" DROP COLUMN "result";
