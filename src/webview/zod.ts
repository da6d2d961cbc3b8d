import { z } from 'zod';

// Compiled validators need `eval`, which the view's content policy forbids. Import before any schema.
z.config({ jitless: true });
