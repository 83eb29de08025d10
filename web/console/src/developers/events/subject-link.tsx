import { Link } from 'wouter'

/** The id of the record of an event. That of an order leads to the order. */
export function SubjectLink({ subject }: { subject: string }) {
  if (!subject.startsWith('ord_')) return subject
  return (
    <Link href={`/orders/${subject}`} className="other-link">
      {subject}
    </Link>
  )
}
