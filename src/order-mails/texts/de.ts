import type { HoldResolution, Texts } from './texts.ts'

const HOLDS: Readonly<Record<HoldResolution, readonly [what: string, button: string]>> = {
  address: [
    'Damit es weitergeht, benötigen wir eine andere Anschrift. Bitte geben Sie sie auf der Seite Ihrer Bestellung ein. Danach läuft Ihre Bestellung von selbst weiter.',
    'Anschrift korrigieren',
  ],
  confirmation: [
    'Damit es weitergeht, benötigen wir Ihre Bestätigung. Bitte bestätigen Sie auf der Seite Ihrer Bestellung. Danach läuft Ihre Bestellung von selbst weiter.',
    'Bestätigen',
  ],
  answer: [
    'Damit es weitergeht, benötigen wir Ihre Antwort. Bitte senden Sie sie auf der Seite Ihrer Bestellung. Wir lesen sie und teilen Ihnen mit, wie es weitergeht.',
    'Antworten',
  ],
  none: ['Sie müssen nichts tun. Wir machen weiter, sobald die Ursache geklärt ist.', 'Bestellung ansehen'],
}

const VIEW = 'Bestellung ansehen'

export const DE: Texts = {
  mails: {
    order_received: ({ number, date, canPayOnline }) => ({
      subject: `Ihre Bestellung ${number} ist eingegangen`,
      heading: 'Vielen Dank für Ihre Bestellung',
      paragraphs: [
        `Ihre Bestellung ${number} vom ${date} ist bei uns eingegangen.`,
        canPayOnline
          ? 'Falls Sie noch nicht bezahlt haben, können Sie das auf der Seite Ihrer Bestellung tun. Wir beginnen, sobald die Zahlung eingegangen ist.'
          : 'Sie ist noch nicht bezahlt. Wir beginnen, sobald wir Ihre Zahlung erhalten und erfasst haben.',
      ],
      button: canPayOnline ? 'Jetzt bezahlen' : VIEW,
    }),
    order_paid: ({ number, total }) => ({
      subject: `Ihre Zahlung für die Bestellung ${number} ist eingegangen`,
      heading: 'Vielen Dank für Ihre Zahlung',
      paragraphs: [
        `Ihre Zahlung über ${total} für die Bestellung ${number} ist bei uns eingegangen.`,
        'Ihre Bestellung geht jetzt in die Produktion. Wir schreiben Ihnen, sobald sie unterwegs ist.',
      ],
      button: VIEW,
    }),
    order_on_hold: ({ number, resolution }) => {
      const [what, button] = HOLDS[resolution]
      const needsYou = resolution !== 'none'
      return {
        subject: needsYou ? `Rückfrage zu Ihrer Bestellung ${number}` : `Ihre Bestellung ${number} ist angehalten`,
        heading: needsYou ? 'Wir haben eine Rückfrage' : 'Ihre Bestellung ist angehalten',
        paragraphs: [`Wir haben die Arbeit an Ihrer Bestellung ${number} vorerst angehalten.`, what],
        button,
      }
    },
    order_shipped: ({ number, isPartial }) => ({
      subject: isPartial
        ? `Ein Teil Ihrer Bestellung ${number} ist unterwegs`
        : `Ihre Bestellung ${number} ist unterwegs`,
      heading: isPartial ? 'Ein Teil Ihrer Bestellung ist unterwegs' : 'Ihre Bestellung ist unterwegs',
      paragraphs: [
        `Wir haben ein Paket Ihrer Bestellung ${number} an den Versanddienst übergeben.`,
        ...(isPartial ? ['Der Rest folgt in weiteren Paketen. Wir schreiben Ihnen zu jedem davon.'] : []),
      ],
      button: VIEW,
    }),
    order_delivered: ({ number }) => ({
      subject: `Ihre Bestellung ${number} ist angekommen`,
      heading: 'Ihre Bestellung ist angekommen',
      paragraphs: [`Der Versanddienst hat Ihre Bestellung ${number} zugestellt. Wir wünschen Ihnen viel Freude damit.`],
      button: VIEW,
    }),
    order_cancelled: ({ number, isRefundDue }) => ({
      subject: `Ihre Bestellung ${number} wurde storniert`,
      heading: 'Ihre Bestellung wurde storniert',
      paragraphs: [
        `Ihre Bestellung ${number} wurde storniert und wird nicht produziert.`,
        ...(isRefundDue ? ['Wir erstatten Ihre Zahlung und schreiben Ihnen, sobald das geschehen ist.'] : []),
      ],
      button: VIEW,
    }),
    order_refunded: ({ number, refunded }) => ({
      subject: `Erstattung zu Ihrer Bestellung ${number}`,
      heading: 'Wir haben Ihnen Geld erstattet',
      paragraphs: [
        `Wir haben Ihnen ${refunded} zu Ihrer Bestellung ${number} erstattet.`,
        'Je nach Zahlungsart kann es einige Tage dauern, bis der Betrag bei Ihnen ankommt.',
      ],
      button: VIEW,
    }),
  },
  labels: {
    order: 'Bestellung',
    items: 'Ihre Artikel',
    parcel: 'In diesem Paket',
    quantity: (count) => `Menge: ${count}`,
    moreItems: (count) => (count === 1 ? 'und ein weiterer Artikel' : `und ${count} weitere Artikel`),
    subtotal: 'Zwischensumme',
    shipping: 'Versand',
    tax: 'Mehrwertsteuer',
    taxIncluded: 'Darin enthaltene Mehrwertsteuer',
    total: 'Gesamtbetrag',
    shippingAddress: 'Lieferanschrift',
    carrier: 'Versanddienst',
    trackingNumber: 'Sendungsnummer',
    trackParcel: 'Sendung verfolgen',
    refundedAmount: 'Erstatteter Betrag',
    message: (shop) => `Nachricht von ${shop}`,
    item: 'Artikel',
    footer: (shop, number) => `Sie erhalten diese E-Mail zu Ihrer Bestellung ${number} bei ${shop}.`,
  },
}
