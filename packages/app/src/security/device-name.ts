import { useTexts } from '@platen/ui'

/** The first pattern that matches counts, because browsers also name those from which they descend. */
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const

const nameIn = (list: readonly (readonly [string, RegExp])[], userAgent: string): string | undefined =>
  list.find(([, pattern]) => pattern.test(userAgent))?.[0]

/** Returns the function that names the device of a user agent, such as "Firefox on Linux". */
export function useDeviceName(): (userAgent: string) => string {
  const { text } = useTexts()
  return (userAgent) => {
    const browser = nameIn(BROWSERS, userAgent)
    const system = nameIn(SYSTEMS, userAgent)
    if (browser === undefined) return system ?? text('account.unknownDevice')
    return system === undefined ? browser : text('account.browserOn', { browser, system })
  }
}
