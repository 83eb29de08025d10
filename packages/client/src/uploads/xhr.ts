import type { UploadProgress } from '../options.ts'
import type { TransportInit } from '../request/transport.ts'

/** The members of `XMLHttpRequest` that an upload uses. Node.js has no such class, and its types do not know it. */
interface Xhr {
  status: number
  response: unknown
  responseURL: string
  responseType: string
  withCredentials: boolean
  upload: { onprogress: ((event: { loaded: number; total: number; lengthComputable: boolean }) => void) | null }
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
}

type XhrConstructor = new () => Xhr

export function findXhr(): XhrConstructor | undefined {
  return (globalThis as { XMLHttpRequest?: XhrConstructor }).XMLHttpRequest
}

/** Sends a request like `fetch`, and reports the progress of its body. */
export function sendWithXhr(
  Xhr: XhrConstructor,
  url: string,
  { method, headers, body, signal, credentials }: TransportInit,
  onProgress: (progress: UploadProgress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new Xhr()
    const abort = (): void => xhr.abort()
    const end = (settle: () => void) => () => {
      signal?.removeEventListener('abort', abort)
      settle()
    }
    xhr.onload = end(() => resolve(isRedirected(xhr, url) ? redirectTo(xhr.responseURL) : responseOf(xhr)))
    xhr.onerror = end(() => reject(new TypeError('the upload failed')))
    xhr.onabort = end(() => reject(signal?.reason))
    xhr.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      onProgress({ loadedBytes: loaded, totalBytes: lengthComputable ? total : undefined })
    xhr.open(method, url)
    xhr.responseType = 'arraybuffer'
    xhr.withCredentials = credentials === 'include'
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value)
    })
    signal?.addEventListener('abort', abort, { once: true })
    xhr.send(body)
  })
}

/** `XMLHttpRequest` follows redirects, which can change a `POST` to a `GET`. */
function isRedirected({ responseURL }: Xhr, url: string): boolean {
  return responseURL !== '' && responseURL !== new URL(url).href
}

function redirectTo(location: string): Response {
  return new Response(null, { status: 307, headers: { location } })
}

/** Statuses with which a `Response` must have no body. */
const WITHOUT_BODY = [204, 205, 304]

function responseOf(xhr: Xhr): Response {
  const headers = new Headers()
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(': ')
    if (name !== '') headers.append(name, value.join(': '))
  }
  const body = WITHOUT_BODY.includes(xhr.status) ? null : (xhr.response as ArrayBuffer)
  return new Response(body, { status: xhr.status, headers })
}
