import { defineProblems } from '../../platform/problem.ts'
import { authProblems } from '../problems.ts'
import { PRESET_SETTINGS } from './provider-settings.ts'

const PRESETS = Object.values(PRESET_SETTINGS).map(({ title, switchedOnBy }) => `${title} with \`${switchedOnBy}\``)

export const providerProblems = defineProblems({
  provider_not_configured: {
    status: 404,
    title: 'Sign-in provider not configured',
    help: `The operator of the service configures ${PRESETS.join(', ')}, and other OpenID providers with \`PLATEN_OIDC_PROVIDERS\`.`,
  },
})

/** The problems of every operation that calls a sign-in provider. */
export const PROVIDER_PROBLEMS = [providerProblems.provider_not_configured, authProblems.provider_unavailable]
