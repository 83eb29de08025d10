import type { TestContext } from 'node:test'
import { CARD } from '../../../src/designs/factory.ts'
import { LOOPBACK } from '../../../src/webhooks/factory.ts'
import { type FakeSecretScanning, startSecretScanning } from '../../fakes/secret-scanning.ts'
import { type Github, startGithub } from '../../fakes/sign-in/github.ts'
import { type Google, startGoogle } from '../../fakes/sign-in/google.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../fakes/webhook-receiver.ts'
import { startService, type TestResponse, type TestService } from '../../harness.ts'
import type { SignedUp } from '../../people.ts'
import { createRecorder, type Recorder } from '../recorder.ts'
import { type BreakableRenderer, createBreakableRenderer } from './breakable-renderer.ts'

export const PASSWORD = 'a quiet lake at dusk'
export const REDIRECT_URI = 'https://shop.example.com/signed-in'

/** A service with everything that the examples need: other companies, and one person of each role. */
export interface Stage extends Recorder {
  service: TestService
  google: Google
  github: Github
  secretScanning: FakeSecretScanning
  receiver: WebhookReceiver
  /** Undefined if other processes draw. */
  renderer?: BreakableRenderer
  admin: SignedUp
  operator: SignedUp
  customer: SignedUp
  product: TestResponse['body']
}

/** The settings of the stage, for further nodes. */
export type StageSettings = Readonly<Record<string, string>>

/** Starts nodes, and returns the first one with requests that go to the others, which draw. */
export type OpenNodes = (t: TestContext, settings: StageSettings) => Promise<TestService>

/** Starts one service, or with `openNodes` several. */
export async function openStage(t: TestContext, openNodes?: OpenNodes): Promise<Stage> {
  const [google, github] = [await startGoogle(t), await startGithub(t)]
  const [secretScanning, receiver] = [await startSecretScanning(t), await startWebhookReceiver(t)]
  const renderer = createBreakableRenderer()
  const env = {
    ...{ ...google.env, ...github.env, ...LOOPBACK },
    PLATEN_SECRET_SCANNING_KEYS_URL: secretScanning.url,
    PLATEN_REDIRECT_URIS: REDIRECT_URI,
  }
  const service = await (openNodes?.(t, env) ?? startService(t, { env, overrides: { renderer } }))
  const recorder = await createRecorder(service)
  const admin = await service.signUp({ role: 'admin', email: 'grace@shop.example.com', password: PASSWORD })
  const operator = await service.signUp({ role: 'operator', email: 'alan@shop.example.com', password: PASSWORD })
  const customer = await service.signUp({ email: 'ada@example.com', password: PASSWORD })
  const product = await recorder.call('createProduct', { token: admin.accessToken, body: CARD })
  return {
    ...recorder,
    ...{ service, google, github, secretScanning, receiver, ...(openNodes === undefined ? { renderer } : {}) },
    ...{ admin, operator, customer, product },
  }
}
