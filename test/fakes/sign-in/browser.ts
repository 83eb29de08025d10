import type { TestResponse, TestService } from '../../harness.ts'

/** A minimal browser with cookies, as the tests of sign-ins with a provider need it. */
export interface Browser {
  /** The cookies for the service, by name. */
  cookies: Map<string, string>
  /** Opens a path of the service below `/v1`. Does not follow redirects. */
  open(path: string, token?: string): Promise<TestResponse>
  /** Calls the service from a page of it, and stores the cookies of the response. */
  post(path: string, token: string, body?: object): Promise<TestResponse>
  /** Authenticates at the provider. Returns the callback URL. */
  visit(authorizationUrl: string): Promise<string>
  /** Opens a callback URL of the service. */
  returnTo(callback: string): Promise<TestResponse>
  /** Runs a whole sign-in, from its start to the response of the callback. */
  signIn(provider: string, query?: Record<string, string>): Promise<TestResponse>
}

export function newBrowser(service: TestService): Browser {
  const cookies = new Map<string, string>()
  const request = async (method: string, path: string, token?: string, body?: object): Promise<TestResponse> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await service.request(method, path, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
      ...(cookie === '' ? {} : { headers: { cookie } }),
    })
    takeCookies(cookies, answer.headers)
    return answer
  }
  const browser: Browser = {
    cookies,
    open: (path, token) => request('GET', path, token),
    post: (path, token, body) => request('POST', path, token, body),
    visit: (authorizationUrl) => visit(service, authorizationUrl),
    returnTo: (callback) => {
      const { pathname, search } = new URL(callback)
      return request('GET', `${service.origin}${pathname}${search}`)
    },
    signIn: async (provider, query = {}) => {
      const started = await browser.open(`/api/auth/${provider}?${new URLSearchParams(query)}`)
      if (started.status !== 302) throw new Error(`start: ${started.text}`)
      return browser.returnTo(await browser.visit(started.headers.get('location') ?? ''))
    },
  }
  return browser
}

/**
 * Follows the redirects of the provider, with cookies, until one of them leads to the service. Returns the URL of that
 * redirect.
 */
async function visit(service: TestService, authorizationUrl: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = authorizationUrl
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    takeCookies(cookies, response.headers)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
    await response.body?.cancel()
    url = new URL(location, url).href
    if (url.startsWith(`${service.config.origin}/`)) return url
  }
  throw new Error('the provider does not redirect to the service')
}

function takeCookies(cookies: Map<string, string>, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split(/; */)
    const [name = '', value = ''] = pair.split(/=(.*)/s, 2)
    if (attributes.includes('Max-Age=0')) cookies.delete(name)
    else cookies.set(name, value)
  }
}
