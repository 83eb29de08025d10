import type { UploadProgress } from '../options.ts'
import type { Body, Fetch, TransportInit } from '../request/transport.ts'
import { findXhr, sendWithXhr } from './xhr.ts'

/**
 * Returns a transport that reports the progress of the request body. Browsers report it only for `XMLHttpRequest`, and
 * Node.js can send a stream, whose pieces are counted.
 */
export function uploadTransport(fetch: Fetch, onProgress: (progress: UploadProgress) => void): Fetch {
  return (url, init) => {
    const Xhr = findXhr()
    if (init.body === undefined) return fetch(url, init)
    // `XMLHttpRequest` takes no stream.
    if (Xhr !== undefined && !(init.body instanceof ReadableStream)) return sendWithXhr(Xhr, url, init, onProgress)
    return fetch(url, withCountedBody(init, init.body, onProgress))
  }
}

function withCountedBody(
  init: TransportInit,
  body: Body,
  onProgress: (progress: UploadProgress) => void,
): TransportInit {
  // A `Blob` is read in pieces of 64 KiB. Other bytes would be one piece.
  const file = body instanceof ArrayBuffer || body instanceof Uint8Array ? new Blob([body]) : body
  const totalBytes = file instanceof Blob ? file.size : undefined
  // `Response` turns each kind of body into a stream, and a form into its parts with their boundary.
  const { body: stream, headers: formHeaders } = new Response(file)
  if (stream === null) return init
  const headers = new Headers(init.headers)
  if (body instanceof FormData) headers.set('Content-Type', formHeaders.get('content-type') ?? '')
  // Without this header, the service would have to reserve storage for the largest file.
  if (totalBytes !== undefined) headers.set('Content-Length', String(totalBytes))
  return { ...init, headers, body: stream.pipeThrough(countBytes(totalBytes, onProgress)), duplex: 'half' }
}

function countBytes(totalBytes: number | undefined, onProgress: (progress: UploadProgress) => void) {
  let loadedBytes = 0
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk)
      loadedBytes += chunk.length
      onProgress({ loadedBytes, totalBytes })
    },
  })
}
