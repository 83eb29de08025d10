import { type Header, readColumns } from '../../../platform/csv/header.ts'
import { orderProblems } from '../../problems.ts'

export type Column = 'order' | 'carrier' | 'trackingNumber' | 'trackingUrl' | 'shippedAt'

const REQUIRED: readonly Column[] = ['order', 'carrier']

const NAMES: Readonly<Record<Column, readonly string[]>> = {
  order: ['order', 'ordernumber', 'orderid', 'number', 'bestellung', 'bestellnummer'],
  carrier: ['carrier', 'versanddienst', 'versanddienstleister'],
  trackingNumber: ['trackingnumber', 'tracking', 'trackingno', 'sendungsnummer'],
  trackingUrl: ['trackingurl', 'trackinglink', 'sendungslink'],
  shippedAt: ['shippedat', 'shippedon', 'shippeddate', 'shipdate', 'versanddatum'],
}

export type Columns = Pick<Header<Column>, 'found' | 'ignored'>

/**
 * Finds the columns of an import in the header of its file.
 *
 * @throws `shipment_file_invalid`
 */
export function readHeader(header: readonly string[]): Columns {
  const { found, ignored, errors } = readColumns(header, { names: NAMES, required: REQUIRED })
  if (errors.length > 0) throw orderProblems.shipment_file_invalid({ errors })
  return { found, ignored }
}
