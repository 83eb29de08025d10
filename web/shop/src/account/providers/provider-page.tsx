import { Loading, MoreTexts, notices, Page } from '@platen/app/frame'
import type { SignInStep } from '@platen/app/session'
import { platen, session } from '@platen/app/session'
import { type ProviderFlow, SecondFactorForm, takeFlow } from '@platen/app/sign-in'
import { Banner, type MessageKey, useTexts } from '@platen/ui'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { accountProblem } from '../frame/account-problem.ts'
import { useOpenNext } from '../next-page.ts'
import { useClaimNotice } from '../use-claim-notice.ts'

/** What the provider or the service says about a visit that failed: the code of a problem. */
const PROBLEMS: Readonly<Record<string, MessageKey>> = {
  access_denied: 'account.providerDenied',
  account_exists: 'account.providerAccountExists',
  identity_not_found: 'account.providerNotLinked',
  identity_taken: 'account.problemIdentityTaken',
  provider_already_linked: 'account.providerLinkedBefore',
  provider_email_unverified: 'account.providerEmailUnverified',
}

interface Return {
  flow: ProviderFlow | undefined
  code: string
  error: string | null
}

/** The result of the last visit, and the query that it was read from. */
let last: { search: string; result: Return } | undefined

/** Reads the result of a visit. The state in it works once, but the page may be rendered several times. */
function readReturn(): Return {
  const { search } = location
  if (last !== undefined && (search === '' || search === last.search)) return last.result
  const query = new URLSearchParams(search)
  const result = { flow: takeFlow(query.get('state')), code: query.get('code') ?? '', error: query.get('error') }
  last = { search, result }
  return result
}

/** The page to which providers lead back. */
export function ProviderPage() {
  const [result] = useState(readReturn)
  // The code does not stay in the history.
  useEffect(() => history.replaceState(null, '', location.pathname), [])
  return (
    <MoreTexts groups={['session', 'account']}>
      <Finish {...result} />
    </MoreTexts>
  )
}

let finishing: { code: string; step: Promise<SignInStep> } | undefined

/** Redeems a code once, even if the page is shown again meanwhile. */
function redeem({ verifier }: ProviderFlow, code: string): Promise<SignInStep> {
  if (finishing?.code !== code) {
    const send = () => platen.auth.redeemCode({ code, codeVerifier: verifier })
    finishing = { code, step: session.signIn(send) }
  }
  return finishing.step
}

function Finish({ flow, code, error }: Return) {
  const texts = useTexts()
  const { text } = texts
  const [, navigate] = useLocation()
  const openNext = useOpenNext()
  const tellOfClaim = useClaimNotice()
  const [step, setStep] = useState<SignInStep>()
  const [failure, setFailure] = useState<unknown>()
  const goOn = (next: SignInStep): void => {
    setStep(next)
    if (next.kind !== 'done' || flow === undefined) return
    tellOfClaim(next.claim)
    openNext(flow.next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visit ends once
  useEffect(() => {
    if (flow === undefined || error !== null) return
    if (flow.kind === 'sign-in') {
      redeem(flow, code).then(goOn, setFailure)
      return
    }
    platen.session.refresh().then(() => {
      const key = flow.kind === 'link' ? 'account.providerLinked' : 'account.providerConfirmed'
      notices.add({ text: text(key), tone: 'good' })
      openNext(flow.next)
    }, setFailure)
  }, [])
  const problem =
    failure === undefined
      ? error === null && flow !== undefined
        ? undefined
        : text(PROBLEMS[error ?? ''] ?? 'account.providerFailed')
      : accountProblem(texts, failure)
  const signInUrl = `/sign-in?next=${encodeURIComponent(flow?.next ?? '/designs')}`
  if (problem === undefined && step?.kind !== 'second-factor') return <Loading />
  return (
    <Page title={text('common.signIn')} width="narrow">
      {step?.kind === 'second-factor' ? (
        <SecondFactorForm step={step} onDone={goOn} onRestart={() => navigate(signInUrl, { replace: true })} />
      ) : (
        <div className="form">
          <Banner tone="danger" isLive>
            {problem}
          </Banner>
          <Link href={flow === undefined || flow.kind === 'sign-in' ? signInUrl : flow.next} className="pl-button">
            {text('account.back')}
          </Link>
        </div>
      )}
    </Page>
  )
}
