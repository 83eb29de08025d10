import type { UploadProgress } from '../options.ts'
import { isInBrowser } from '../request/reach.ts'
import type { Body, Fetch, TransportInit } from '../request/transport.ts'
import { findXhr, sendWithXhr } from './xhr.ts'

/**
 * Returns a transport that reports the progress of the request body. Browsers report it only for `XMLHttpRequest`, and
 * Node.js can send a stream, whose pieces are counted. Service workers have neither, so they report none.
 */
export function uploadTransport(
  { fetch, hasOwnFetch }: { fetch: Fetch; hasOwnFetch: boolean },
  onProgress: (progress: UploadProgress) => void,
): Fetch {
  return (url, init) => {
    const Xhr = hasOwnFetch ? undefined : findXhr()
    if (init.body === undefined) return fetch(url, init)
    // `XMLHttpRequest` takes no stream.
    if (init.body instanceof ReadableStream) return fetch(url, withCountedBody(init, init.body, onProgress))
    if (Xhr !== undefined) return sendWithXhr(Xhr, url, init, onProgress)
    return fetch(url, isInBrowser() ? init : withCountedBody(init, init.body, onProgress))
  }
}

function withCountedBody(
  init: TransportInit,
  body: Body,
  onProgress: (progress: UploadProgress) => void,
): TransportInit {
  const headers = new Headers(init.headers)
  const file = body instanceof ArrayBuffer || body instanceof Uint8Array ? new Blob([body]) : body
  if (file instanceof Blob) {
    // Without this header, the service would have to reserve storage for the largest file.
    headers.set('Content-Length', String(file.size))
    return { ...init, headers, body: counted(piecesOf(file), file.size, onProgress), duplex: 'half' }
  }
  // `Response` turns a form into the bytes of its parts, and states their boundary.
  const response = new Response(file)
  const boundary = response.headers.get('content-type')
  if (file instanceof FormData && boundary !== null) headers.set('Content-Type', boundary)
  if (response.body === null) return init
  return { ...init, headers, body: counted(response.body, undefined, onProgress), duplex: 'half' }
}

const PIECE_BYTES = 64 * 1024

/** Reads a file in small pieces when they are needed. Its own stream may be a single piece. */
function piecesOf(file: Blob): ReadableStream<Uint8Array<ArrayBuffer>> {
  let start = 0
  return new ReadableStream({
    pull: async (controller) => {
      const piece = await file.slice(start, start + PIECE_BYTES).arrayBuffer()
      start += PIECE_BYTES
      if (piece.byteLength > 0) controller.enqueue(new Uint8Array(piece))
      if (start >= file.size) controller.close()
    },
  })
}

function counted(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  totalBytes: number | undefined,
  onProgress: (progress: UploadProgress) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let loadedBytes = 0
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk)
      loadedBytes += chunk.length
      onProgress({ loadedBytes, totalBytes })
    },
  })
  return stream.pipeThrough(counter)
}
