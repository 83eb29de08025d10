import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { DesignDocument } from '@platen/drawing'
import { CARD } from '../../../../../src/designs/factory.ts'
import { startService } from '../../../../../test/harness.ts'
import { createPlaten } from '../../../../client/src/index.ts'
import { type Fault, type SeenRequest, startFaultProxy } from '../../../../client/test/fault-proxy.ts'
import { addLayers, changeLayers, type EditorLayer, layersOf } from '../../document/layers.ts'
import { emptyState, rect } from '../../factory.ts'
import { createEditorStore } from '../../state/editor-store.ts'
import { openJournal } from '../journal/open-journal.ts'
import type { SaveProblem } from '../saving-types.ts'
import type { Delays } from './attempts/delays.ts'
import type { PageEvents } from './attempts/page-events.ts'
import { createSaver } from './create-saver.ts'

export type Decide = (request: SeenRequest) => Fault | Promise<Fault>

export const QUICK: Delays = { quietMs: 40, longestMs: 150, retryMs: 40, longestRetryMs: 200, signInMs: 100 }

/** Page events that a test triggers. */
function testPage(): PageEvents & { hide(): void; return(): void } {
  const target = new EventTarget()
  const on = (type: string) => (listener: () => void) => {
    target.addEventListener(type, listener)
    return () => target.removeEventListener(type, listener)
  }
  const dispatch = (type: string) => () => void target.dispatchEvent(new Event(type))
  return { onHide: on('hide'), onReturn: on('return'), hide: dispatch('hide'), return: dispatch('return') }
}

export interface EditorOptions {
  delays?: Partial<Delays>
  token?: () => Promise<string> | string
}

/**
 * Starts a service with a design of one layer, `a`. Editors of it reach the service through a proxy.
 *
 * @param options with a lock, the design is made from a template whose layer has it
 */
export async function startSaving(t: TestContext, { lock }: { lock?: LayerLock } = {}) {
  const service = await startService(t)
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token: admin, body: CARD })
  const { accessToken } = await service.signUp()
  const direct = createPlaten({ url: service.origin, auth: { token: accessToken } })
  const start = { productId: product.id, variantId: product.variants[0].id, name: 'Card' }
  const layers = [rect('a', lock === undefined ? {} : { lock })]
  const document = { version: 1, placements: [{ printAreaId: 'front', layers }] } as never
  const publish = async () => {
    const { body: draft } = await service.request('POST', '/designs', { token: admin, body: { ...start, document } })
    const body = { designId: draft.id, name: 'Card' }
    return (await service.request('POST', '/templates', { token: admin, body })).body.id
  }
  const design = await direct.designs.create(
    lock === undefined ? { ...start, document } : { ...start, templateId: await publish() },
  )
  let decide: Decide = () => 'pass'
  const proxy = await startFaultProxy(t, service.origin, (request) => decide(request))
  const saves = () => proxy.to(`/v1/designs/${design.id}`).filter(({ method }) => method === 'PATCH')

  const openEditor = async ({ delays = QUICK, token = () => accessToken }: EditorOptions = {}) => {
    const url = proxy.url
    const client = createPlaten({ url, auth: { token: async () => token() } })
    const { data, etag = '' } = await direct.designs.get(design.id).withResponse()
    const document = data.document as DesignDocument
    const store = createEditorStore({ ...emptyState(), design: data, document, product, isEditable: true })
    const page = testPage()
    const problems: SaveProblem[] = []
    const journal = openJournal({ serviceUrl: url, customerId: data.customerId, designId: data.id })
    const saver = createSaver({
      ...{ store, client, journal, page, delays },
      opened: { design: data, etag },
      onProblem: (problem) => problems.push(problem),
    })
    await saver.start()
    t.after(() => saver.stop())
    return { store, saver, page, problems, client, ...editing(store) }
  }
  return {
    ...{ service, admin, accessToken, product, design, direct, proxy, saves, openEditor },
    /** Decides about later requests. */
    fault: (next: Decide) => {
      decide = next
    },
    stored: async () => direct.designs.get(design.id),
  }
}

function editing(store: ReturnType<typeof createEditorStore>) {
  const set = (id: string, fields: object): void =>
    store.edit((document) => changeLayers(document, [id], (layer) => ({ ...layer, ...fields }) as EditorLayer))
  return {
    set,
    add: (...ids: string[]): void =>
      store.edit((document) =>
        addLayers(
          document,
          'front',
          ids.map((id) => rect(id)),
        ),
      ),
    layers: () => layersOf(store.get().document, 'front'),
    save: () => store.get().save.kind,
  }
}

export const isSave = ({ method }: SeenRequest): boolean => method === 'PATCH'

/** Waits until a condition holds. The time is long, because other processes can take the processor for seconds. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  for (const endsAt = Date.now() + 60_000; Date.now() < endsAt; await wait(5)) if (await condition()) return
  throw new Error(`${what} did not come about`)
}

/** The ids of the layers of a stored design. */
export const idsOf = ({ document }: { document: object }): string[] =>
  layersOf(document as DesignDocument, 'front').map(({ id }) => id)
