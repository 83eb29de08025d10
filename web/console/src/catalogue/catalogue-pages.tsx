import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { ProductListPage } from './list/product-list-page.tsx'
import { NewProductPage } from './product/new-product-page.tsx'
import { ProductPage } from './product/product-page.tsx'
import { ProfileListPage } from './profiles/profile-list-page.tsx'
import { TemplateListPage } from './templates/template-list-page.tsx'

/** The products, a page for each, and a page for a new one; templates, and colour profiles. */
export function CataloguePages({ user }: PageProps) {
  return (
    <MoreTexts groups={['consoleCatalogue', 'consoleHistory']}>
      <Switch>
        <Route path="/catalogue">
          <ProductListPage />
        </Route>
        <Route path="/catalogue/new">
          <NewProductPage user={user} />
        </Route>
        <Route path="/catalogue/templates">
          <TemplateListPage />
        </Route>
        <Route path="/catalogue/color-profiles">
          <ProfileListPage />
        </Route>
        <Route path="/catalogue/:productId">
          {({ productId }) => <ProductPage key={productId} productId={productId} user={user} />}
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
