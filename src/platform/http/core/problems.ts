import { Type } from 'typebox'
import { defineProblems } from '../../problem.ts'

export const httpProblems = defineProblems({
  malformed_request: { status: 400, title: 'Malformed HTTP request' },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON body',
    help: 'Send one JSON text in UTF-8 without duplicate names, NUL characters or unpaired surrogates, with at most 64 levels of nesting and 100000 values.',
  },
  validation_failed: {
    status: 400,
    title: 'Request does not match its schema',
    statesErrors: true,
    help: 'Each member of `errors` names one place and what is expected there. The service refuses unknown members, so that it never silently ignores a misspelt name.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    help: 'Send `nextCursor` of the previous page unchanged, or leave `cursor` out to read the first page.',
  },
  not_found: {
    status: 404,
    title: 'URL not found',
    help: 'Check the spelling of the URL. `/v1/openapi.json` lists the paths of all operations; each path starts with `/v1`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed for this URL',
    help: 'The `Allow` header lists the supported methods.',
  },
  not_acceptable: {
    status: 406,
    title: 'None of the accepted media types is available',
    help: 'Send an `Accept` header with a media type that the operation documents, or none.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    help: 'The request did not arrive in time. Repeat the request.',
  },
  precondition_failed: {
    status: 412,
    title: 'The record has changed since it was read',
    members: {
      order: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'In operations on an order: the present order.' }),
      ),
      product: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'In changes of a product: the present product.' }),
      ),
      shopSettings: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'In changes of the shop: the present settings.' }),
      ),
      mailText: Type.Optional(
        Type.Object(
          {},
          { additionalProperties: true, description: 'In changes of the text of a mail: the present text.' },
        ),
      ),
    },
    help: 'The `If-Match` header did not match the current `ETag`. Read the record again, then apply the change to the new version.',
  },
  body_too_large: {
    status: 413,
    title: 'Request body too large',
    help: 'Send a smaller body. A JSON body can have up to 1 MiB, or 32 KiB without a valid credential. For an upload, `detail` states the limit.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type of the request body',
    help: 'Send `Content-Type: application/json`; changes of designs also take `application/json-patch+json`. Uploads take `multipart/form-data` or the bytes of the file.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'Invalid Idempotency-Key header',
    help: 'Send 1 to 255 visible ASCII characters, for example a UUID.',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress',
    help: 'Wait for its response, or repeat the request later with the same key.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key was used for a different request',
    help: 'Use a new key for every new request. Repeat a key only with exactly the same request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait for the number of seconds in `Retry-After`. The `RateLimit` header states how many requests remain.',
  },
  headers_too_large: { status: 431, title: 'Request headers too large', help: 'Send fewer or shorter headers.' },
  https_required: { status: 403, title: 'HTTPS required', help: 'Repeat the request with `https:`.' },
  internal_error: {
    status: 500,
    title: 'Internal error',
    help: 'The service logs the failure with the `requestId`. Give this id to the operator of the service.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service temporarily unavailable',
    help: 'Nothing was changed. Repeat the request after the number of seconds in `Retry-After`.',
  },
})
