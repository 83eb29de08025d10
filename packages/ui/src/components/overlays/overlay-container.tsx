import type { ReactNode } from 'react'
import { UNSAFE_PortalProvider } from 'react-aria/PortalProvider'
import { enableShadowDOM } from 'react-stately/private/flags/flags'

export interface OverlayContainerProps {
  /** Returns the element into which dialogs, popovers and tooltips are put. */
  getContainer(): HTMLElement | null
  children: ReactNode
}

/**
 * Puts overlays into an element instead of `document.body`. A custom element needs it, because styles of its shadow root
 * apply only inside.
 */
export function OverlayContainer({ getContainer, children }: OverlayContainerProps) {
  return <UNSAFE_PortalProvider getContainer={getContainer}>{children}</UNSAFE_PortalProvider>
}

/** Has React Aria look into shadow roots for focus and events. Call it before the first render in a shadow root. */
export function supportShadowRoots(): void {
  enableShadowDOM()
}
