export const SHIPPING_ADDRESS = {
  name: 'Ada Example',
  line1: 'Lindenstraße 12',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
}
