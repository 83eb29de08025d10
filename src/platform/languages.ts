/** The languages in which there are texts of the shop and of mails. English is for readers of all others. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]
