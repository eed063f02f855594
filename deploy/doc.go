// Package deploy holds what runs the program elsewhere: the image, NATS and MinIO configuration, what
// docker-compose.yml mounts. Its tests hold all of it to the program: images pinned, settings and roles that exist,
// rights that hold on a real NATS server, an image whose steps run.
package deploy
