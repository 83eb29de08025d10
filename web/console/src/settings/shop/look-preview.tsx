import type { ShopColors } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Section } from '../../parts/page/section.tsx'
import { shopColorsQuery } from '../queries.ts'
import { SettingsProblem } from '../settings-problem.tsx'
import { isColor } from './edits.ts'
import type { FieldsProps } from './fields.ts'
import { Logo } from './logo-field.tsx'

const SCHEMES = ['light', 'dark'] as const

/** The header of the shop in both schemes, before anything is saved. The service calculates the colours. */
export function LookPreview({ saved, edits, shop }: FieldsProps) {
  const { text } = useTexts()
  const color = useDeferredValue(shop.accentColor)
  const colors = useQuery({
    ...shopColorsQuery(color.toLowerCase()),
    enabled: isColor(color) && color !== saved.accentColor,
    placeholderData: keepPreviousData,
  })
  const shown = color === saved.accentColor ? saved.colors : (colors.data ?? saved.colors)
  const hasLogo = typeof edits.logoAssetId === 'string' || (saved.logo !== null && edits.logoAssetId !== null)
  return (
    <Section title={text('consoleSettings.preview')}>
      <SettingsProblem error={color === saved.accentColor ? null : colors.error} />
      <ul className="look-previews" aria-label={text('consoleSettings.preview')}>
        {SCHEMES.map((scheme) => (
          <li key={scheme}>
            <SchemePreview scheme={scheme} colors={shown[scheme]}>
              {hasLogo ? <Logo saved={saved} edits={edits} name={shop.name} /> : <b>{shop.name}</b>}
            </SchemePreview>
          </li>
        ))}
      </ul>
    </Section>
  )
}

interface SchemePreviewProps {
  scheme: (typeof SCHEMES)[number]
  colors: ShopColors['light']
  children: React.ReactNode
}

function SchemePreview({ scheme, colors, children }: SchemePreviewProps) {
  const { text } = useTexts()
  const { accent, background, fill, onFill, isAdjusted } = colors
  const ink = scheme === 'light' ? '#1c1d22' : '#f0f0f2'
  return (
    <>
      <p className="note">{text(scheme === 'light' ? 'common.schemeLight' : 'common.schemeDark')}</p>
      <div className="look-preview" style={{ background, color: ink }}>
        {children}
        <span style={{ color: accent, textDecoration: 'underline' }}>{text('consoleSettings.previewLink')}</span>
        <span className="look-button" style={{ background: fill, color: onFill }}>
          {text('consoleSettings.previewButton')}
        </span>
      </div>
      {isAdjusted ? <Banner tone="info">{text('consoleSettings.colorAdjusted', { accent, fill })}</Banner> : null}
    </>
  )
}
