import { defineProblems } from '../../platform/problem.ts'
import { PRESET_SETTINGS } from './provider-settings.ts'

const PRESETS = Object.values(PRESET_SETTINGS).map(({ title, switchedOnBy }) => `${title} with \`${switchedOnBy}\``)

export const providerProblems = defineProblems({
  provider_not_configured: {
    status: 404,
    title: 'Sign-in provider not configured',
    help: `The operator of the service configures ${PRESETS.join(', ')}, and other OpenID providers with \`PLATEN_OIDC_PROVIDERS\`.`,
  },
})
