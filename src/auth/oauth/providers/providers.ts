import { createGithub } from './github.ts'
import { createGoogle } from './google.ts'
import type { Provider, ProviderDeps, ProviderName } from './provider.ts'

export type Providers = Readonly<Record<ProviderName, Provider | undefined>>

export function createProviders(deps: ProviderDeps): Providers {
  const { google, github } = deps.config
  return {
    google: google && createGoogle(google, deps),
    github: github && createGithub(github, deps),
  }
}
