import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../platform/problem.ts'
import { COUNTRY_CODES } from '../order/countries.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import { checkPostalAddress } from './check-postal-address.ts'
import { OPTIONAL, REQUIRED, readPostalCode } from './postal-codes.ts'

const base = { name: 'Ada Example', line1: '1 Example Street', city: 'Town' }

/** Returns the faults that the service finds in a postal address, or undefined if it accepts it. */
function faultsOf(address: Partial<PostalAddress> & { country: string }): string[] | undefined {
  try {
    checkPostalAddress({ ...base, ...address })
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'address_invalid', String(error))
    return error.extras.errors?.map(({ code, pointer }) => `${code} ${pointer}`)
  }
}

// Real postal addresses, as parliaments, museums and companies publish them.
const REAL: PostalAddress[] = [
  { name: 'Deutscher Bundestag', line1: 'Platz der Republik 1', city: 'Berlin', postalCode: '11011', country: 'DE' },
  { name: 'Parlament', line1: 'Dr.-Karl-Renner-Ring 3', city: 'Wien', postalCode: 'A-1017', country: 'AT' },
  { name: 'Bundeshaus', line1: 'Bundesplatz 3', city: 'Bern', postalCode: '3003', country: 'CH' },
  { name: 'Musée du Louvre', line1: 'Rue de Rivoli', city: 'Paris', postalCode: '75001', country: 'FR' },
  { name: 'Assemblée', line1: '2 rue du Palais', line2: 'BP 123', city: 'Cayenne', postalCode: '97300', country: 'FR' },
  { name: 'Rijksmuseum', line1: 'Museumstraat 1', city: 'Amsterdam', postalCode: '1071xx', country: 'NL' },
  { name: 'House of Commons', line1: 'Westminster', city: 'London', postalCode: 'sw1a 0aa', country: 'GB' },
  { name: 'Short', line1: '1 Main Road', city: 'Manchester', postalCode: 'M1 1AE', country: 'GB' },
  { name: 'Cpl Example', line1: 'BFPO 105', city: 'BFPO', postalCode: 'BF1 0AX', country: 'GB' },
  { name: 'Dáil Éireann', line1: 'Leinster House', city: 'Dublin 2', country: 'IE' },
  { name: 'Guinness', line1: "St. James's Gate", city: 'Dublin', postalCode: 'D08VF8H', country: 'IE' },
  {
    name: 'The White House',
    line1: '1600 Pennsylvania Avenue NW',
    city: 'Washington',
    region: 'DC',
    postalCode: '20500-0005',
    country: 'US',
  },
  {
    name: 'PFC Example',
    line1: 'Unit 2050 Box 4190',
    city: 'APO',
    region: 'AP',
    postalCode: '96278-2050',
    country: 'US',
  },
  {
    name: 'El Capitolio',
    line1: 'PO Box 9066528',
    city: 'San Juan',
    region: 'Puerto Rico',
    postalCode: '00906',
    country: 'US',
  },
  {
    name: 'Parliament',
    line1: '111 Wellington St',
    city: 'Ottawa',
    region: 'Ontario',
    postalCode: 'k1a0a9',
    country: 'CA',
  },
  {
    name: 'Assemblée nationale',
    line1: '1045 rue des Parlementaires',
    city: 'Québec',
    region: 'Québec',
    postalCode: 'G1A 1A3',
    country: 'CA',
  },
  {
    name: 'Parliament House',
    line1: 'Capital Circle',
    city: 'Canberra',
    region: 'act',
    postalCode: '2600',
    country: 'AU',
  },
  { name: 'Beehive', line1: 'Molesworth Street', city: 'Wellington', postalCode: '6160', country: 'NZ' },
  { name: '国会', line1: '千代田区永田町１－７－１', city: '東京都', postalCode: '〒１００－８９８１', country: 'JP' },
  { name: '국회', line1: '영등포구 의사당대로 1', city: '서울특별시', postalCode: '07233', country: 'KR' },
  { name: '人民大会堂', line1: '西城区人民大会堂西路', city: '北京市', postalCode: '100805', country: 'CN' },
  { name: '立法會', line1: '中區立法會道1號', city: '香港', country: 'HK' },
  { name: 'متحف اللوفر', line1: 'جزيرة السعديات', city: 'أبو ظبي', country: 'AE' },
  { name: 'Khalifa', line1: 'P.O. Box 9440', city: 'Dubai', postalCode: '00000', country: 'AE' },
  { name: 'Casa Rosada', line1: 'Balcarce 50', city: 'Buenos Aires', postalCode: 'C1064AAB', country: 'AR' },
  { name: 'Casa vieja', line1: 'Rivadavia 1864', city: 'Buenos Aires', postalCode: '1033', country: 'AR' },
  {
    name: 'Congresso Nacional',
    line1: 'Praça dos Três Poderes',
    city: 'Brasília',
    region: 'DF',
    postalCode: '70160900',
    country: 'BR',
  },
  { name: 'Museo Soumaya', line1: 'Blvd. Cervantes Saavedra 303', city: 'CDMX', postalCode: '11529', country: 'MX' },
  { name: 'Parliament House', line1: 'Sansad Marg', city: 'New Delhi', postalCode: '110 001', country: 'IN' },
  { name: 'Sejm', line1: 'Wiejska 4/6/8', city: 'Warszawa', postalCode: '00902', country: 'PL' },
  { name: 'Riksdagen', line1: 'Riksgatan 1', city: 'Stockholm', postalCode: 'SE-10012', country: 'SE' },
  { name: 'Stortinget', line1: 'Karl Johans gate 22', city: 'Oslo', postalCode: '0026', country: 'NO' },
  { name: 'Folketinget', line1: 'Christiansborg', city: 'København', postalCode: 'DK-1240', country: 'DK' },
  { name: 'Eduskunta', line1: 'Mannerheimintie 30', city: 'Helsinki', postalCode: 'FI-00102', country: 'FI' },
  { name: 'Saeima', line1: 'Jēkaba iela 11', city: 'Rīga', postalCode: 'LV-1811', country: 'LV' },
  { name: 'Assembleia', line1: 'Palácio de São Bento', city: 'Lisboa', postalCode: '1249 068', country: 'PT' },
  { name: 'Βουλή', line1: 'Πλατεία Συντάγματος', city: 'Αθήνα', postalCode: '100 21', country: 'GR' },
  { name: 'Parlament', line1: 'Sněmovní 4', city: 'Praha 1', postalCode: '118 26', country: 'CZ' },
  { name: 'Верховна Рада', line1: 'вул. Грушевського, 5', city: 'Київ', postalCode: '01008', country: 'UA' },
  { name: 'הכנסת', line1: 'קריית בן-גוריון', city: 'ירושלים', postalCode: '9195016', country: 'IL' },
  { name: 'Parliament', line1: '1 Parliament Place', city: 'Singapore', postalCode: '178880', country: 'SG' },
  { name: 'TBMM', line1: 'Bakanlıklar', city: 'Ankara', postalCode: '06543', country: 'TR' },
  { name: 'Parliament', line1: 'Parliament Street', city: 'Cape Town', postalCode: '8001', country: 'ZA' },
  { name: 'Majlis', line1: 'King Abdulaziz Rd', city: 'Riyadh', postalCode: '11212-6311', country: 'SA' },
  { name: 'Asamblea', line1: 'Av. 6 de Diciembre', city: 'Quito', postalCode: '170403', country: 'EC' },
  { name: 'Bunge', line1: 'P.O. Box 941', city: 'Dodoma', country: 'TZ' },
]

test('valid postal addresses of all continents are accepted', () => {
  assert.ok(new Set(REAL.map(({ country }) => country)).size >= 35)
  for (const address of REAL) assert.equal(faultsOf(address), undefined, JSON.stringify(address))
})

test('postal addresses are normalized by the rules of their country', () => {
  const { name, ...rest } = checkPostalAddress({
    ...base,
    name: '  Ada \u00a0 Example ',
    region: 'california',
    postalCode: ' 902100005',
    country: 'US',
  })
  assert.deepEqual([name, rest.region, rest.postalCode], ['Ada Example', 'CA', '90210-0005'])
  const code = (country: string, postalCode: string) => checkPostalAddress({ ...base, country, postalCode }).postalCode
  assert.equal(code('GB', 'sw1a 1aa'), 'SW1A 1AA')
  assert.equal(code('DE', 'D-10115'), '10115')
  assert.equal(code('JP', '〒100−0001'), '100-0001')
  assert.equal(code('JP', '1000001'), '100-0001')
  assert.equal(code('PL', '00 950'), '00-950')
  assert.equal(code('NL', '1012 js'), '1012 JS')
  assert.equal(code('AE', 'po 17'), 'PO 17')
})

test('undeliverable postal addresses are refused with pointers', () => {
  assert.deepEqual(faultsOf({ country: 'DE' }), ['required /shippingAddress/postalCode'])
  assert.deepEqual(faultsOf({ country: 'DE', postalCode: '1011' }), ['wrong_format /shippingAddress/postalCode'])
  assert.deepEqual(faultsOf({ country: 'IE', postalCode: '12345' }), ['wrong_format /shippingAddress/postalCode'])
  assert.deepEqual(faultsOf({ country: 'US', postalCode: 'SW1A 1AA' }), [
    'wrong_format /shippingAddress/postalCode',
    'required /shippingAddress/region',
  ])
  assert.deepEqual(faultsOf({ country: 'CA', postalCode: 'K1A 0B1', region: 'Texas' }), [
    'region_unknown /shippingAddress/region',
  ])
})

test('telephone numbers of possible length are accepted in any notation', () => {
  const withPhone = (phone: string, country = 'HK') => faultsOf({ country, postalCode: '10115', phone })
  for (const phone of ['+49 30 227-0', '(030) 2270', '0049 30 2270', '2270 1234']) {
    assert.equal(withPhone(phone, 'DE'), undefined, phone)
  }
  assert.equal(withPhone('+1 202 456 1111'), undefined)
  assert.deepEqual(withPhone('123', 'DE'), ['wrong_format /shippingAddress/phone'])
  assert.deepEqual(withPhone('+49 1234567890123456789', 'DE'), ['wrong_format /shippingAddress/phone'])
})

test('every example of a postal code matches the format of its country', () => {
  for (const [country, example] of [...REQUIRED, ...OPTIONAL]) {
    assert.ok(COUNTRY_CODES.includes(country))
    assert.deepEqual(readPostalCode(country, example), { ok: true, postalCode: example })
    assert.equal(readPostalCode(country, 'not a code').ok, false)
  }
})

test('the country codes are those of ISO 3166-1', () => {
  assert.equal(COUNTRY_CODES.length, 249)
  assert.ok(COUNTRY_CODES.every((code) => /^[A-Z]{2}$/.test(code)))
  for (const code of ['DE', 'US', 'TW', 'PS', 'AX', 'SS']) assert.ok(COUNTRY_CODES.includes(code))
  for (const code of ['EU', 'UK', 'XX', 'AN', 'SU']) assert.ok(!COUNTRY_CODES.includes(code))
})
