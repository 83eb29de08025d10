import { usageError } from '../command-line/command-error.ts'
import { type Terminal, writeJson } from '../command-line/terminal.ts'
import { userPath } from '../command-line/user-path.ts'
import { readBody, readHeaders } from './api-input.ts'
import { printAllPages } from './requests/all-pages.ts'
import { type ConnectionOptions, connect } from './requests/connection.ts'
import { readError } from './requests/problem.ts'
import { readJson, send } from './requests/request.ts'
import { requireBinaryOutput, saveBody, writeBody } from './requests/response-body.ts'

export interface ApiOptions extends ConnectionOptions {
  data?: string
  header?: readonly string[]
  output?: string
  all?: boolean
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head']

/** Sends one request and prints the response. */
export async function api(methodText: string, path: string, options: ApiOptions, terminal: Terminal): Promise<number> {
  const method = methodText.toLowerCase()
  checkArguments(method, path, options)
  const headers = readHeaders(options.header)
  const body = options.data === undefined ? null : await readBody(options.data, headers)
  const connection = await connect(options)
  if (options.all === true) return printAllPages(connection, path, headers, terminal)
  const response = await send(connection, method, path, { headers, body, followsRedirects: true })
  if (response.status >= 400) throw await readError(response)
  if (response.body === null) return 0
  if (options.output !== undefined) {
    await saveBody(response, userPath(options.output))
  } else if (isJson(response)) {
    const body = await readJson(connection, response)
    if (body !== undefined) writeJson(body, terminal.out)
  } else {
    requireBinaryOutput(response, terminal)
    await writeBody(response, terminal.out)
  }
  return 0
}

function checkArguments(method: string, path: string, { all, data, output }: ApiOptions): void {
  if (!METHODS.includes(method)) {
    throw usageError(`The method '${method}' is unknown. Use one of ${METHODS.join(', ')}.`)
  }
  if (!path.startsWith('/')) {
    throw usageError(`The path '${path}' must start with '/', such as /orders?limit=3. --url selects the service.`)
  }
  if (data !== undefined && (method === 'get' || method === 'head')) {
    throw usageError(`A ${method} request has no body. Use query parameters instead of --data.`)
  }
  if (all === true && (method !== 'get' || output !== undefined)) {
    throw usageError('--all reads a list with get, and prints it to standard output. Redirect the output instead.')
  }
}

function isJson(response: Response): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '')
}
