#error "this is the embedder's"
