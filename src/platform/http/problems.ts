import { defineProblems } from '../problem.ts'

/** Problems that belong to HTTP itself, not to a feature. */
export const httpProblems = defineProblems({
  malformed_request: { status: 400, title: 'The request could not be read as HTTP' },
  malformed_json: {
    status: 400,
    title: 'The body is not acceptable JSON',
    help: 'The body must be one JSON text in UTF-8 without duplicate names, NUL characters, unpaired surrogates, more than 64 levels of nesting or 100000 values.',
  },
  validation_failed: {
    status: 400,
    title: 'The request does not match its schema',
    help: 'Each member of `errors` names one place and what is expected there. Unknown members are refused, so that a misspelt name is never silently ignored.',
  },
  invalid_cursor: { status: 400, title: 'The cursor is not one this service handed out' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  method_not_allowed: {
    status: 405,
    title: 'This address does not support the method',
    help: 'The `Allow` header lists the methods it supports.',
  },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be produced' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  precondition_failed: {
    status: 412,
    title: 'The record has changed since it was read',
    help: 'The `If-Match` header did not match the current `ETag`. Read the record again and repeat the change on what it says now.',
  },
  body_too_large: { status: 413, title: 'The body is larger than this address accepts' },
  unsupported_media_type: { status: 415, title: 'The body has a media type this address does not accept' },
  idempotency_key_invalid: {
    status: 400,
    title: 'The Idempotency-Key header is malformed',
    help: 'Send 1 to 255 visible ASCII characters, a UUID for instance.',
  },
  idempotency_key_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still being processed',
    help: 'Wait for its answer, or repeat the request a little later.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key was used for a different request',
    help: 'Use a new key for every new request; repeat a key only with exactly the same request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait for the number of seconds in `Retry-After`. The `RateLimit` header tells how many requests are left.',
  },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  https_required: { status: 403, title: 'This service answers over HTTPS only' },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'The request id identifies the failure in the log of the service.',
  },
  service_unavailable: {
    status: 503,
    title: 'A part of the service is not available right now',
    help: 'Nothing was changed. Repeat the request after the seconds in `Retry-After`.',
  },
})
