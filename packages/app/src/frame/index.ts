export { LanguageChoice, nameOfLanguage, SchemeChoice } from './choices.tsx'
export { hasOutbox, metaContent, shopName, signInSettings } from './config.ts'
export { CrashGuard } from './failures/crash-guard.tsx'
export { OfflineBanner } from './failures/offline-banner.tsx'
export {
  createProblemText,
  isMissing,
  type ProblemText,
  type ProblemTexts,
  problemText,
} from './failures/problem-text.ts'
export { setLanguage, useLanguage, useLanguageOf } from './language.ts'
export { Loading } from './loading.tsx'
export { MoreTexts } from './more-texts.tsx'
export { notices } from './notices.ts'
export { Page, useTitle } from './page.tsx'
export { type Part, part } from './part.tsx'
export { setScheme, useScheme } from './scheme.ts'
export { useScrollToTop } from './use-scroll-to-top.ts'
