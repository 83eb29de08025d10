import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { userQuery } from './queries.ts'

/** The email address of a user, with a link to the page of the user. */
export function UserName({ userId }: { userId: string }) {
  const user = useQuery(userQuery(userId))
  return (
    <Link href={`/people/${userId}`} title={userId}>
      {user.data?.email ?? userId}
    </Link>
  )
}
