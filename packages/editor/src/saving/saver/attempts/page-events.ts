/** What happens to the page that shows the editor. Each function returns one that ends the subscription. */
export interface PageEvents {
  /** The page is hidden or left; it may get no more time. */
  onHide(listener: () => void): () => void
  /** The page is shown again, or the connection is back. */
  onReturn(listener: () => void): () => void
}

export function browserPage(): PageEvents {
  return {
    onHide: (listener) => {
      const whenHidden = (): void => {
        if (document.visibilityState === 'hidden') listener()
      }
      return subscribe([
        [document, 'visibilitychange', whenHidden],
        [window, 'pagehide', listener],
      ])
    },
    onReturn: (listener) => {
      const whenShown = (): void => {
        if (document.visibilityState === 'visible') listener()
      }
      return subscribe([
        [document, 'visibilitychange', whenShown],
        [window, 'online', listener],
        [window, 'focus', listener],
      ])
    },
  }
}

function subscribe(all: readonly [EventTarget, string, () => void][]): () => void {
  for (const [target, type, listener] of all) target.addEventListener(type, listener)
  return () => {
    for (const [target, type, listener] of all) target.removeEventListener(type, listener)
  }
}
