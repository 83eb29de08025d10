import type { PostalAddress } from '@platen/client'
import { useTexts } from '@platen/ui'
import { CITY_FIRST } from './country-sets.ts'

/** A postal address as it is written on a parcel. */
export function PostalAddressLines({ address }: { address: PostalAddress }) {
  const { locale } = useTexts()
  const { name, company, line1, line2, city, region, postalCode, country, phone, email } = address
  const place = CITY_FIRST.has(country) ? [city, region, postalCode] : [postalCode, city, region]
  const countryName = new Intl.DisplayNames([locale], { type: 'region' }).of(country)
  const lines = [name, company, line1, line2, place.filter(Boolean).join(' '), countryName]
  const contact = [email, phone].filter((line) => line !== undefined)
  return (
    <>
      <address className="postal-address">
        {lines
          .filter((line) => line !== undefined && line !== '')
          .map((line) => (
            <span key={line}>{line}</span>
          ))}
      </address>
      {contact.length === 0 ? null : <p className="note">{contact.join(' · ')}</p>}
    </>
  )
}
