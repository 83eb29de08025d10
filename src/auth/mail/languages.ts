/** Returns whether mails to a person are in German. All other languages get English. */
export function isGerman(locale: string | null): boolean {
  return /^de(-|$)/i.test(locale ?? '')
}
