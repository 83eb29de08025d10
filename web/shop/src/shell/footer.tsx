import { LanguageChoice, SchemeChoice } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import { chrome } from './config.ts'

export function Footer() {
  const { locale, text } = useTexts()
  return (
    <footer className="shop-footer">
      <LanguageChoice />
      <SchemeChoice />
      <div className="footer-links">
        {chrome.links[locale]?.map(({ label, url }) => (
          <a key={url} href={url}>
            {label}
          </a>
        ))}
        <a href="/developers">{text('shop.developers')}</a>
      </div>
    </footer>
  )
}
