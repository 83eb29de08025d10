/** The tags of operations, with their descriptions for the OpenAPI document. */
export const TAGS = {
  'Sign-in': 'Registration, sign-in with its factors, refresh and step-up.',
  Account: 'The account of the caller: profile, sessions, factors, passkeys and personal data.',
  Guests: 'Visitors without an account.',
  'API keys': 'Credentials for programs.',
  Users: 'Accounts, for administrators.',
  Customers: 'Customers with and without accounts, for operators.',
  Products: 'The catalogue.',
  Assets: 'Images of designs.',
  'Colour profiles': 'Printing conditions of products.',
  Fonts: 'Installed and uploaded fonts.',
  Designs: 'Artwork on a product, from the draft to the print files.',
  Orders: 'Quotes, orders and payments.',
  Production: 'The queue of orders, print files and shipments, for operators.',
  Settings: 'Shipping methods and taxes.',
  Events: 'Changes of records, to read and to follow.',
  Webhooks: 'Endpoints to which the service posts events, and their deliveries.',
} as const
