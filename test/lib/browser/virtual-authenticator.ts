import type { Page } from 'playwright-core'

export interface VirtualAuthenticator {
  /** Whether the authenticator recognizes the user from now on. */
  setVerified(isVerified: boolean): Promise<void>
  /** The number of passkeys that it holds. */
  count(): Promise<number>
}

/** Adds an authenticator to a tab, as a phone or computer with a fingerprint sensor has one. It confirms at once. */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: async (isUserVerified) => {
      await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    count: async () => (await devTools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}
