import { createPlaten, type Platen } from '@platen/client'
import { chooseLanguage, LANGUAGES, supportShadowRoots } from '@platen/ui'
import { createRoot, type Root } from 'react-dom/client'
import { EditorRoot, type EditorRootProps } from './app/editor-root.tsx'
import { readPalette } from './panels/index.ts'
import type { PageOptions } from './state/host.ts'
import styles from './styles/index.css?inline'

/** Returns a customer token, which the backend of the embedding shop gets with its API key. */
export type TokenSource = () => Promise<string | { token: string; expiresIn?: number }>

/**
 * The custom element `<platen-editor>`.
 *
 * Attributes: `design` (id), `service` (origin of the service; by default that of this script), `locale` (BCP 47),
 * `color-scheme` (`light`, `dark` or `auto`), `palette` (colours of the shop, such as `#c8322b, #1b2a57`), and
 * `takes-items` if the page handles the event `items`. Set `tokenSource`, or `client` with a session of your own.
 *
 * Events: `ready`; `change` with `{ design }`; `preflight` with `{ report }`; `saved` with `{ revision }`; `finalized`
 * with `{ design }`; `copied` with the new `{ design }` after the work was saved as a copy; `items` with
 * `{ items: [{ data, quantity }] }` for the items of a quote; `problem` with `{ error }`.
 *
 * Parts: `toolbar`, `bottom-bar`, `panel-tabs`, `panel`, and `stage`.
 */
export class PlatenEditorElement extends HTMLElement {
  static readonly observedAttributes = ['design', 'service', 'locale', 'color-scheme', 'palette', 'takes-items']

  #client: Platen | undefined
  #ownClient: Platen | undefined
  #tokenSource: TokenSource | undefined
  #root: Root | undefined
  #overlays: HTMLElement | null = null
  readonly #events = eventsOf(this)
  readonly #page: PageOptions = {
    takesItems: () => this.hasAttribute('takes-items'),
    palette: () => readPalette(this.getAttribute('palette') ?? ''),
  }

  get client(): Platen | undefined {
    return this.#client
  }

  set client(client: Platen | undefined) {
    this.#client = client
    this.#render()
  }

  get tokenSource(): TokenSource | undefined {
    return this.#tokenSource
  }

  set tokenSource(source: TokenSource | undefined) {
    if (source === this.#tokenSource) return
    this.#tokenSource = source
    this.#ownClient = undefined
    this.#render()
  }

  get design(): string | undefined {
    return this.getAttribute('design') ?? undefined
  }

  set design(id: string | undefined) {
    if (id === undefined) this.removeAttribute('design')
    else this.setAttribute('design', id)
  }

  get service(): string {
    return this.getAttribute('service') ?? new URL(import.meta.url).origin
  }

  connectedCallback(): void {
    for (const name of ['client', 'tokenSource', 'design'] as const) takeProperty(this, name)
    this.#root ??= this.#mount()
    this.#render()
  }

  disconnectedCallback(): void {
    // An element that is moved within its page is connected again at once, and keeps its state.
    queueMicrotask(() => {
      if (this.isConnected) return
      this.#root?.unmount()
      this.#root = undefined
    })
  }

  attributeChangedCallback(name: string): void {
    if (name === 'service') this.#ownClient = undefined
    this.#render()
  }

  #mount(): Root {
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    shadow.adoptedStyleSheets = [sheet]
    const app = document.createElement('div')
    app.className = 'pe-app'
    this.#overlays = document.createElement('div')
    this.#overlays.className = 'pe-overlays'
    shadow.replaceChildren(app, this.#overlays)
    forbidStyleElement()
    return createRoot(app)
  }

  #render(): void {
    const scheme = this.getAttribute('color-scheme')
    this.style.colorScheme = scheme === 'light' || scheme === 'dark' ? scheme : ''
    const { design } = this
    const client = this.#client ?? this.#clientOfTokens()
    if (this.#root === undefined || design === undefined || client === undefined) return
    const wanted = [this.getAttribute('locale') ?? document.documentElement.lang, ...navigator.languages]
    const language = chooseLanguage(
      wanted.filter((tag) => tag !== ''),
      LANGUAGES,
    )
    this.#root.render(
      <EditorRoot
        {...{ client, language, designId: design, serviceUrl: this.service, events: this.#events }}
        page={this.#page}
        getOverlays={() => this.#overlays}
      />,
    )
  }

  #clientOfTokens(): Platen | undefined {
    const source = this.#tokenSource
    if (source === undefined) return undefined
    this.#ownClient ??= createPlaten({
      url: this.service,
      auth: {
        token: async () => {
          const issued = await source()
          return typeof issued === 'string' ? issued : { token: issued.token, expiresIn: issued.expiresIn ?? 60 }
        },
      },
    })
    return this.#ownClient
  }
}

/** A property that the page has set before this script was loaded hides the setter, so it is set again. */
function takeProperty(element: PlatenEditorElement, name: 'client' | 'tokenSource' | 'design'): void {
  if (!Object.hasOwn(element, name)) return
  const value = element[name]
  delete element[name]
  Object.assign(element, { [name]: value })
}

function eventsOf(element: HTMLElement): EditorRootProps['events'] {
  const send = (type: string, detail: object = {}): void => {
    element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }
  return {
    ready: () => send('ready'),
    change: (design) => send('change', { design }),
    preflight: (report) => send('preflight', { report }),
    saved: (revision) => send('saved', { revision }),
    finalized: (design) => send('finalized', { design }),
    items: (items) => send('items', { items: items.map((data) => ({ data, quantity: 1 })) }),
    copied: (design) => send('copied', { design }),
    problem: (error) => send('problem', { error }),
  }
}

const STYLE_ID = 'react-aria-pressable-style'

/** React Aria adds a style element to the page unless it finds this id. Policies of pages forbid such elements. */
function forbidStyleElement(): void {
  if (document.getElementById(STYLE_ID) !== null) return
  const marker = document.createElement('meta')
  marker.id = STYLE_ID
  document.head.append(marker)
}

supportShadowRoots()
if (customElements.get('platen-editor') === undefined) customElements.define('platen-editor', PlatenEditorElement)
