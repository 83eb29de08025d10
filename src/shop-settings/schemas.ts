import { type Static, Type } from 'typebox'
import type { AccentColors, RegistrationPolicy } from '../config/index.ts'
import { LANGUAGES, type Language } from '../platform/languages.ts'
import type { Shop } from './shop.ts'

const closed = { additionalProperties: false } as const

export const LOGO_WIDTHS = [160, 640, 1280] as const

const color = (description: string) => Type.String({ pattern: '^#[0-9a-f]{6}$', description })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }))

const SchemeColors = Type.Object(
  {
    accent: color('Texts and links in the colour of the shop.'),
    background: color('Background of pages.'),
    fill: color('Buttons.'),
    onFill: color('Texts on buttons.'),
    isAdjusted: Type.Boolean({
      description:
        'Whether texts and links, or buttons, are darker or lighter than the colour of the shop. Otherwise their contrast would be below WCAG 2.2 AA.',
    }),
  },
  { ...closed, title: 'ShopSchemeColors' },
)

export const ShopColors = Type.Object({ light: SchemeColors, dark: SchemeColors }, { ...closed, title: 'ShopColors' })

const LanguageList = Type.Array(Type.Unsafe<Language>({ type: 'string', enum: LANGUAGES }), {
  description: 'The first one is for readers of all other languages.',
})

const Registration = Type.Unsafe<RegistrationPolicy>({
  type: 'string',
  enum: ['open', 'invitation', 'closed'],
  description:
    'Who gets a new account: `open` everyone, `invitation` invited persons, `closed` invited operators and administrators only.',
})

export const ShopSettingsBody = Type.Object(
  {
    name: Type.String(),
    supportEmail: Type.Union([Type.String(), Type.Null()], {
      description: 'Email address for questions of customers.',
    }),
    languages: LanguageList,
    accentColor: color('Colour of the shop, in pages and mails.'),
    colors: ShopColors,
    logo: Type.Union(
      [
        Type.Object(
          {
            url: Type.String({ description: 'URL path of the logo. It needs no credential.' }),
            width: Type.Integer({ description: 'In pixels.' }),
            height: Type.Integer({ description: 'In pixels.' }),
          },
          { ...closed, title: 'ShopLogo' },
        ),
        Type.Null(),
      ],
      { description: 'Null: the name takes its place.' },
    ),
    registration: Registration,
    customized: Type.Array(
      Type.Unsafe<CustomField>({
        type: 'string',
        enum: ['registration', 'name', 'supportEmail', 'languages', 'accentColor', 'logo'],
      }),
      { description: 'What an administrator has set. All others have the values of the environment.' },
    ),
    revision: Type.Integer({ description: 'Number of changes.' }),
    updatedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null until an administrator changes a setting for the first time.',
    }),
  },
  { ...closed, title: 'ShopSettings' },
)
export type ShopSettingsBody = Static<typeof ShopSettingsBody>
type CustomField = 'registration' | 'name' | 'supportEmail' | 'languages' | 'accentColor' | 'logo'

const environment = 'Null: the value of the environment'

export const ShopChangesBody = Type.Object(
  {
    name: orNull(
      // The name is part of headers of mails.
      Type.String({
        minLength: 1,
        maxLength: 80,
        pattern: '^(?=.*[\\p{L}\\p{N}\\p{P}\\p{S}])[^\\p{Cc}\\p{Zl}\\p{Zp}]+$',
      }),
      `${environment} (\`PLATEN_SHOP_NAME\`).`,
    ),
    supportEmail: orNull(
      Type.String({ format: 'email', maxLength: 254 }),
      'Email address for questions of customers. Null: none.',
    ),
    languages: orNull(
      Type.Array(Type.Unsafe<Language>({ type: 'string', enum: LANGUAGES }), {
        minItems: 1,
        maxItems: LANGUAGES.length,
        uniqueItems: true,
      }),
      'Languages of the shop and its mails. The first one is for readers of all others. Null: all that there are.',
    ),
    accentColor: orNull(
      Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
      `Colour of the shop. ${environment} (\`PLATEN_SHOP_COLOR\`).`,
    ),
    registration: orNull(Registration, `Who gets a new account. ${environment} (\`PLATEN_REGISTRATION\`).`),
    logoAssetId: orNull(
      Type.String({ maxLength: 64 }),
      `Id of an image of the caller. Everyone can read it from then on. ${environment} (\`PLATEN_SHOP_LOGO\`).`,
    ),
  },
  { ...closed, minProperties: 1 },
)
export type ShopChangesBody = Static<typeof ShopChangesBody>

export const ColorsQuery = Type.Object(
  { accentColor: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`, with `#` as `%23`.' }) },
  closed,
)

export const LogoParams = Type.Object({ logoId: Type.String() }, closed)
export const LogoQuery = Type.Object(
  {
    width: Type.Unsafe<number>({
      type: 'integer',
      enum: LOGO_WIDTHS,
      default: 640,
      description: 'The longest side in pixels. A smaller logo keeps its size.',
    }),
  },
  closed,
)
export const LogoFile = {
  description: 'The logo.',
  content: { 'image/webp': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}

export function toColorsBody(
  accentColor: string,
  { light, dark }: Record<'light' | 'dark', AccentColors>,
): Static<typeof ShopColors> {
  const bodyOf = (one: AccentColors) => ({
    ...one,
    isAdjusted: one.accent !== accentColor || one.fill !== accentColor,
  })
  return { light: bodyOf(light), dark: bodyOf(dark) }
}

export function toShopSettingsBody(
  shop: Shop,
  logoUrl: (logo: NonNullable<Shop['shopLogo']>) => string,
): ShopSettingsBody {
  const { settings, shopColor, shopLogo, shopLanguages, colors } = shop
  const { revision, updatedAt, registration, name, supportEmail, languages, accentColor, logoAssetId } = settings
  const set = { registration, name, supportEmail, languages, accentColor, logo: logoAssetId }
  return {
    name: shop.shopName,
    supportEmail: shop.shopSupportEmail,
    languages: [...shopLanguages],
    accentColor: shopColor,
    colors: toColorsBody(shopColor, colors),
    logo: shopLogo === undefined ? null : { url: logoUrl(shopLogo), width: shopLogo.width, height: shopLogo.height },
    registration: shop.registration,
    customized: (Object.keys(set) as CustomField[]).filter((field) => set[field] !== null),
    revision,
    updatedAt: updatedAt?.toISOString() ?? null,
  }
}
